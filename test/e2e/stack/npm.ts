import { runToEnd } from './child-process';

/** Runs npm in a folder of its own, without what the npm that runs these tests says about its own folder. */
export async function npm(args: string[], cwd: string, logFile: string): Promise<void> {
  const npmCli = process.env.npm_execpath;
  const [command, first] = npmCli?.endsWith('.js') ? [process.execPath, [npmCli]] : ['npm', []];
  await runToEnd({ command, args: [...first, ...args], cwd, env: environmentOfANewShell(), logFile });
}

function environmentOfANewShell(): NodeJS.ProcessEnv {
  const ofTheCaller =
    /^(INIT_CWD|npm_(lifecycle|package|command|execpath|node_execpath).*|npm_config_(local_)?prefix|npm_config_workspaces?)$/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !ofTheCaller.test(name)));
}
