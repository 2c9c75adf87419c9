import type { HawserError } from "../../base/index.js";
import { shutdown } from "../../process/index.js";
import type { Approval, ApprovalDecision } from "../../session/index.js";
import type { OfflineWorld } from "../../testing/index.js";
import { describeError, type ErrorDescription } from "../command/describe-error.js";
import { describeWorld, loadOfflineWorld } from "../offline/load-offline-world.js";
import { askOnce } from "../terminal/input/ask-once.js";
import { Interrupts } from "../terminal/interrupts.js";
import { Terminal } from "../terminal/terminal.js";
import { askApproval } from "../turn/ask-approvals.js";
import { TurnView } from "../turn/turn-view.js";

/** What the commands of the fleet need of the command line around them. */
export interface FleetShell {
  readonly terminal: Terminal;
  readonly isJson: boolean;
  /** The CLI that `--cli` names. */
  readonly cliPath: string | undefined;
  /** Shows the tool calls and the status of a run, but not its text. */
  turnView(): TurnView;
  /** Opens a CLI with a simulated model, and says so. It is closed with the shell. */
  openWorld(): Promise<OfflineWorld>;
  /** An error in the words of the command: with flags in place of options. */
  describeError(error: HawserError): ErrorDescription;
  /** Aborted by the first Ctrl-C. The second one ends the program at once. */
  interrupted(): AbortSignal;
  /** Asks the user one question of a run; undefined if the user gives no answer. */
  ask(approval: Approval, signal: AbortSignal): Promise<ApprovalDecision | undefined>;
}

export interface ShellOptions {
  readonly json: boolean;
  readonly quiet?: boolean;
  readonly cli?: string | undefined;
}

/** Opens a shell for one command, and closes it when the command has ended. */
export async function withFleetShell(
  options: ShellOptions,
  command: (shell: FleetShell) => Promise<number>,
): Promise<number> {
  const shell = new OpenShell(options);
  try {
    return await command(shell);
  } finally {
    await shell.close();
  }
}

class OpenShell implements FleetShell {
  readonly terminal: Terminal;
  readonly isJson: boolean;
  readonly cliPath: string | undefined;
  #world: OfflineWorld | undefined;
  #interrupts: Interrupts | undefined;

  constructor({ json, quiet = false, cli }: ShellOptions) {
    this.terminal = new Terminal({ quiet: quiet || json });
    this.isJson = json;
    this.cliPath = cli;
  }

  turnView(): TurnView {
    return new TurnView(this.terminal, { writesText: false });
  }

  async openWorld(): Promise<OfflineWorld> {
    this.#world ??= await loadOfflineWorld({ cliPath: this.cliPath });
    this.terminal.note(this.terminal.style.dim(describeWorld(this.#world)));
    return this.#world;
  }

  describeError(error: HawserError): ErrorDescription {
    return describeError(error);
  }

  interrupted(): AbortSignal {
    return this.#interruptsNow().signal;
  }

  ask(approval: Approval, signal: AbortSignal): Promise<ApprovalDecision | undefined> {
    const askLine = askOnce(this.#interruptsNow());
    return askApproval(approval, this.terminal, { askLine, cwd: undefined, signal });
  }

  async close(): Promise<void> {
    this.#interrupts?.close();
    // The CLI must end before the offline world that it runs in.
    await shutdown();
    // The model reports requests that it could not answer; a run that ended early may leave one.
    await this.#world?.dispose().catch(() => {});
  }

  #interruptsNow(): Interrupts {
    this.#interrupts ??= new Interrupts(this.terminal);
    return this.#interrupts;
  }
}
