import type { Approval, ApprovalDecision, HawserError, Message, SessionOptions } from "hawser";

/** What the `hawser` command gives to the commands of the fleet: its terminal, its keys, its simulated model. */
export interface CommandShell {
  readonly terminal: CommandTerminal;
  readonly isJson: boolean;
  /** The CLI that `--cli` names. */
  readonly cliPath: string | undefined;
  /** Shows the tool calls and the status of a run, but not its text. */
  turnView(): { receive(message: Message): void; settle(): void };
  /** Opens a CLI with a simulated model, and says so. It is closed with the command. */
  openWorld(): Promise<{ readonly options: SessionOptions }>;
  /** An error in the words of the command: with flags in place of options. */
  describeError(error: HawserError): { readonly message: string; readonly hint: string };
  /** Aborted by the first Ctrl-C. The second one ends the program at once. */
  interrupted(): AbortSignal;
  /** Asks the user one question; undefined if the user gives no answer. */
  ask(approval: Approval, signal: AbortSignal): Promise<ApprovalDecision | undefined>;
}

/** The answer goes to stdout, everything else to stderr. */
export interface CommandTerminal {
  readonly style: CommandStyle;
  readonly outStyle: CommandStyle;
  /** Whether a user sees stderr. */
  readonly isWatched: boolean;
  /** Whether a user sees stdout. */
  readonly isShown: boolean;
  /** Whether a user can be asked. */
  readonly isInteractive: boolean;
  readonly width: number;
  /** A part of the answer. */
  write(text: string): void;
  /** A line of the answer. */
  writeLine(text?: string): void;
  endLine(): void;
  /** A line for a user. The text must be printable already. */
  note(text: string): void;
  /** A line that is also written where stderr is a log. */
  warn(text: string): void;
  /** Shows what is going on in the last line, until the next output. */
  status(text: string | undefined): void;
}

export type CommandStyle = Readonly<
  Record<"bold" | "dim" | "red" | "green" | "yellow" | "cyan", (text: string) => string>
>;

/** Prints a value as one line of JSON. */
export function printJson(shell: CommandShell, value: object): void {
  shell.terminal.writeLine(JSON.stringify(value));
}
