import { until } from './until';

/** Kills every process of n8n at once, with whatever is under way. */
export async function cutPower(): Promise<void> {
  await Promise.all(stack.processes.map((one) => one.kill()));
  await until(() => stack.gate.isIdle, { what: 'the connections of the killed processes to break' });
  stack.gate.open();
}

export async function powerIsBack(): Promise<void> {
  await Promise.all(stack.processes.map((one) => one.start()));
}
