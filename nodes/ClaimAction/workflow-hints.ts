import type { IExecuteFunctions, NodeExecutionHint } from 'n8n-workflow';

import { readNextSteps } from '../shared/n8n-internals';

const PROCEED = 0;

/** Warnings about settings of the workflow that let a step run again without asking, or hide how it ended. */
export function workflowHints(context: IExecuteFunctions): NodeExecutionHint[] {
  const messages: string[] = [];
  if (savesProgress(context)) {
    messages.push(
      'This workflow has Save Execution Progress on. After a crash inside the guarded step, Retry repeats the step without asking the ledger. Switch it off in the workflow settings.',
    );
  }
  for (const step of readNextSteps(context, PROCEED)) {
    if (step.retryOnFail) {
      messages.push(
        `"${step.name}" has Retry On Fail on: n8n repeats it without asking the ledger, also after a time-out. Switch it off.`,
      );
    }
    if (!step.hasErrorOutput) {
      messages.push(
        `"${step.name}" has no error output, so nothing records how it failed, and Retry repeats it without asking. Set On Error to Continue (using error output) and connect that output to Record Receipt.`,
      );
    }
  }
  return messages.map((message) => ({ message, type: 'warning', location: 'outputPane' }));
}

function savesProgress(context: IExecuteFunctions): boolean {
  try {
    return context.getWorkflowSettings().saveExecutionProgress === true;
  } catch {
    // Not every version of n8n shows the settings; a missing warning is no harm.
    return false;
  }
}
