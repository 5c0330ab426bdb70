import { openLedger, type OpenLedger } from '../store/open-ledger';
import { configureOperations } from './situations';
import { Story } from './story';

/** The one ledger that a test file works on, with the operations of the situations. Opened and closed by the hooks. */
export function ledgerForFile(): { open: OpenLedger; story: (operation?: string) => Story } {
  const file = {} as { open: OpenLedger; story: (operation?: string) => Story };
  beforeAll(async () => {
    file.open = await openLedger();
    await configureOperations(file.open);
    file.story = (operation) => new Story(file.open, operation);
  });
  afterAll(() => file.open.close());
  return file;
}
