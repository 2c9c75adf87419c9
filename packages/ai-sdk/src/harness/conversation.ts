import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import {
  HarnessCapabilityUnsupportedError,
  type HarnessV1ContinueTurnOptions,
  type HarnessV1ContinueTurnState,
  type HarnessV1PromptControl,
  type HarnessV1PromptTurnOptions,
  type HarnessV1StartOptions,
} from "@ai-sdk/harness";
import {
  HawserError,
  isSystem,
  type JsonSchema,
  type Message,
  openSession,
  type Session,
  type SessionOptions,
} from "hawser";
import { toAiSdkError } from "../errors/index.js";
import { TurnHost } from "../turn/index.js";
import { filteringOptions } from "./builtin-tools.js";
import type { HawserHarnessOptions } from "./harness-options.js";
import { HarnessTurn, type WaitingCalls } from "./harness-turn.js";
import { InterruptedTurn } from "./interrupted-turn.js";
import type { LifecycleData, PendingQuestion } from "./lifecycle-data.js";
import { PermissionPolicy } from "./permission-policy.js";
import { promptOf } from "./prompt-of.js";
import { type SkillsPlugin, writeSkillsPlugin } from "./skills-plugin.js";
import type { CompactionPart } from "./turn-parts.js";

/** What a turn needs of the process. */
type TurnSettings = Pick<
  HarnessV1PromptTurnOptions | HarnessV1ContinueTurnOptions,
  "model" | "instructions" | "tools" | "skills" | "responseFormat"
>;

/** What the agent says when a session starts. */
export type StartFacts = Pick<
  HarnessV1StartOptions,
  | "headers"
  | "permissionMode"
  | "builtinToolFiltering"
  | "sessionWorkDir"
  | "observability"
  | "sessionId"
>;

/**
 * A conversation of a `HarnessAgent` over one process of the CLI, or over several one after the other. The process
 * starts with the first turn, because only a turn tells its tools and instructions. If these change, another process
 * resumes the conversation.
 */
export class Conversation {
  /** The name under which a program finds the conversation again while it has its process. */
  readonly key = randomUUID();
  readonly #options: HawserHarnessOptions;
  #start: StartFacts;
  #policy: PermissionPolicy;
  /** The CLI's id of the conversation. */
  #id: string | undefined;
  #opened: Opened | undefined;
  #opening: Promise<Opened> | undefined;
  #turn: HarnessTurn | undefined;
  /** What the turn waited for whose process was ended. */
  #left: WaitingCalls | undefined;
  #patience: NodeJS.Timeout | undefined;
  /** Settles when the process that was closed last is gone. */
  #closed: Promise<void> = Promise.resolve();
  #boundary: Omit<CompactionPart, "type" | "summary"> | undefined;
  #summary: string | undefined;
  /** Compactions that no turn has shown yet. */
  readonly #compactions: CompactionPart[] = [];

  constructor(options: HawserHarnessOptions, start: StartFacts, id: string | undefined) {
    this.#options = options;
    this.#start = start;
    this.#policy = new PermissionPolicy(start.permissionMode);
    this.#id = id;
  }

  /** Whether there is a process. */
  get isOpen(): boolean {
    return this.#opened !== undefined;
  }

  get data(): LifecycleData {
    const conversation = this.#opened?.session.id ?? this.#id;
    return conversation === undefined ? {} : { conversation };
  }

  /** The questions that wait for an answer, as another process needs them. */
  get questions(): readonly PendingQuestion[] {
    return (this.#turn?.waiting ?? this.#left)?.questions ?? [];
  }

  /** Another session of the agent takes the conversation over. */
  rebind(start: StartFacts): void {
    this.#start = start;
    this.#policy = new PermissionPolicy(start.permissionMode);
  }

  async promptTurn(options: HarnessV1PromptTurnOptions): Promise<HarnessV1PromptControl> {
    const { emit, abortSignal } = options;
    abortSignal?.throwIfAborted();
    // A turn that was aborted may still be stopping.
    await this.#turn?.settled;
    const { prompt, warnings } = promptOf(options.prompt);
    const opened = await this.#open(options, abortSignal);
    const { session, host } = opened;
    const turn = this.#newTurn(options, opened, {
      warnings,
      begin: async () => ({ session, host, turn: session.send(prompt) }),
    });
    return turn.attach(emit, abortSignal);
  }

  /** Goes on with the turn that the host has left. Without a live turn, another process goes on from `state`. */
  async continueTurn(
    options: HarnessV1ContinueTurnOptions,
    state: HarnessV1ContinueTurnState | undefined,
    questions: readonly PendingQuestion[],
  ): Promise<HarnessV1PromptControl> {
    const { emit, abortSignal } = options;
    if (this.#turn !== undefined) return this.#turn.attach(emit, abortSignal);
    const left = this.#left ?? (state && { ...state, questions });
    if (left === undefined) throw new Error("There is no turn to continue.");
    const interrupted = new InterruptedTurn(left, left.questions);
    const turn = this.#newTurn(options, undefined, {
      interrupted,
      begin: async () => {
        const { session, host } = await this.#open(options, undefined);
        return { session, host, turn: session.send(interrupted.prompt) };
      },
    });
    return turn.attach(emit, abortSignal);
  }

  /**
   * Resolves when another program could resume the conversation, because this one may exit as soon as it has left
   * the conversation. The CLI writes its transcript a moment after a prompt. If it does not write, only this program
   * can go on.
   */
  async whenResumable(): Promise<void> {
    const until = performance.now() + LONGEST_WRITE_MS;
    while (this.#opened?.session.resumable === false && performance.now() < until) {
      await delay(POLL_MS);
    }
  }

  /** The host stops reading the turn, which goes on. */
  leaveTurn(): void {
    this.#turn?.leave();
  }

  async compact(instructions: string | undefined): Promise<void> {
    if (this.#opened === undefined && this.#id === undefined) return;
    const { session } = this.#opened ?? (await this.#open({ tools: [], skills: [] }, undefined));
    const command = instructions?.trim() ? `/compact ${instructions.trim()}` : "/compact";
    const turn = session.command(command);
    try {
      for await (const message of turn) this.#observe(message);
      await turn.text();
    } catch (error) {
      throw this.#errorOf(error);
    }
  }

  /** Ends the process. The conversation can be resumed by its id. */
  close(): Promise<void> {
    const opened = this.#opened;
    const turn = this.#turn;
    clearTimeout(this.#patience);
    // A process that is starting is ended when it has started.
    if (opened === undefined && this.#opening !== undefined) {
      return this.#opening.then(
        () => this.close(),
        () => this.#closed,
      );
    }
    if (opened === undefined) return this.#closed;
    this.#id = opened.session.id ?? this.#id;
    this.#opened = undefined;
    this.#turn = undefined;
    if (turn?.isOver === false) this.#left = turn.waiting;
    // A turn that waits for the host would wait for ever.
    turn?.fail(this.#errorOf(new HawserError("closed", "The session of the agent was closed.")));
    this.#closed = endProcess(opened, turn);
    return this.#closed;
  }

  #newTurn(
    settings: TurnSettings,
    opened: Opened | undefined,
    facts: Pick<ConstructorParameters<typeof HarnessTurn>[0], "begin" | "warnings" | "interrupted">,
  ): HarnessTurn {
    const names = new Set(settings.tools.map(({ name }) => name));
    const turn = new HarnessTurn({
      ...facts,
      policy: this.#policy,
      modelId: opened?.model ?? settings.model ?? this.#options.model ?? "default",
      hostName: (name) => hostNameOf(name, names),
      wantsValue: settings.responseFormat?.type === "json",
      onMessage: (message) => this.#observe(message),
      onWaiting: (isWaiting) => this.#wait(isWaiting),
    });
    for (const part of this.#compactions.splice(0)) turn.showCompaction(part);
    this.#turn = turn;
    this.#left = undefined;
    void turn.settled.then(() => {
      if (this.#turn === turn && turn.isRead) this.#turn = undefined;
    });
    return turn;
  }

  /** A person may never answer. The turn can then be continued with another process. */
  #wait(isWaiting: boolean): void {
    clearTimeout(this.#patience);
    if (!isWaiting) return;
    this.#patience = setTimeout(() => {
      // A process that does not end is killed, and its tree swept, by `close()` itself.
      void this.close().catch(() => {});
    }, this.#options.parkMs ?? PARK_MS);
    this.#patience.unref();
  }

  async #open(settings: TurnSettings, signal: AbortSignal | undefined): Promise<Opened> {
    const { model = this.#options.model } = settings;
    const setup = JSON.stringify([
      settings.instructions,
      settings.tools,
      settings.skills,
      settings.responseFormat,
      this.#start.permissionMode,
      this.#start.builtinToolFiltering,
      this.#start.sessionWorkDir,
    ]);
    try {
      if (this.#opened !== undefined && this.#opened.setup !== setup) await this.close();
      // Two processes must not write one transcript.
      await this.#closed;
      if (this.#opened === undefined) {
        this.#opening = this.#openNew(settings, setup);
        this.#opened = await this.#opening;
      } else if (this.#opened.model !== model) {
        await this.#opened.session.setModel(model);
        this.#opened.model = model;
      }
    } catch (error) {
      throw this.#errorOf(error, model);
    } finally {
      this.#opening = undefined;
    }
    signal?.throwIfAborted();
    return this.#opened;
  }

  async #openNew(settings: TurnSettings, setup: string): Promise<Opened> {
    const { tools, skills: given, model = this.#options.model } = settings;
    const host = new TurnHost({
      asks: true,
      serverName: SERVER,
      tools: tools.map(({ name, description, inputSchema = { type: "object" } }) => ({
        name,
        description,
        inputSchema: inputSchema as JsonSchema,
      })),
    });
    const skills = given.length === 0 ? undefined : await writeSkillsPlugin(given);
    try {
      const session = await openSession(host.extend(this.#sessionOptions(settings, skills)));
      return { session, host, skills, setup, model };
    } catch (error) {
      await host.close();
      await skills?.remove();
      throw error;
    }
  }

  #sessionOptions(settings: TurnSettings, skills: SkillsPlugin | undefined): SessionOptions {
    const { parkMs: _, ...options } = this.#options;
    const { model = options.model, instructions } = settings;
    const { sessionWorkDir, builtinToolFiltering, headers, observability } = this.#start;
    const { tools = options.tools, disallowedTools = [] } = filteringOptions(builtinToolFiltering);
    const format = outputFormatOf(settings);
    const plugins = [
      ...(options.plugins ?? []),
      ...(skills ? [{ type: "local", path: skills.path } as const] : []),
    ];
    return {
      ...options,
      cwd: options.cwd ?? sessionWorkDir,
      model,
      tools,
      disallowedTools: [...(options.disallowedTools ?? []), ...disallowedTools],
      rules: [...(options.rules ?? []), ...this.#policy.rules(SERVER)],
      systemPrompt: withInstructions(options.systemPrompt, instructions),
      ...(plugins.length === 0 ? {} : { plugins }),
      ...(format === undefined ? {} : { outputFormat: format }),
      env: { ...options.env, ...headerVariables(headers) },
      hooks: {
        ...options.hooks,
        PostCompact: [
          ...(options.hooks?.PostCompact ?? []),
          { hooks: [async ({ compact_summary }) => this.#onSummary(compact_summary)] },
        ],
      },
      stderr: (line) => {
        observability?.report?.({
          level: "info",
          kind: "log",
          message: line,
          subsystem: "hawser.cli",
          source: "cli",
          stream: "stderr",
          sessionId: this.#start.sessionId,
          timestamp: Date.now(),
        });
        options.stderr?.(line);
      },
      permissionMode: "default",
      persistSession: true,
      // A process that dies is replaced by one that resumes the conversation.
      recover: true,
      ...(this.#id === undefined ? {} : { resume: this.#id }),
    };
  }

  #errorOf(error: unknown, model = this.#options.model): unknown {
    return toAiSdkError(error, { modelId: model ?? "default" });
  }

  #observe(message: Message): void {
    if (!isSystem(message, "compact_boundary")) return;
    const { trigger, pre_tokens: before, post_tokens: after } = message.compact_metadata;
    this.#boundary = {
      trigger: trigger === "auto" ? "auto" : "manual",
      tokensBefore: before,
      ...(after === undefined ? {} : { tokensAfter: after }),
    };
    this.#showCompaction();
  }

  #onSummary(summary: string): undefined {
    this.#summary = summary;
    this.#showCompaction();
  }

  /** The CLI tells the numbers in a message and the summary in a hook, in any order. */
  #showCompaction(): void {
    if (this.#boundary === undefined || this.#summary === undefined) return;
    const part: CompactionPart = { type: "compaction", ...this.#boundary, summary: this.#summary };
    this.#boundary = undefined;
    this.#summary = undefined;
    if (this.#turn === undefined || this.#turn.isOver) this.#compactions.push(part);
    else this.#turn.showCompaction(part);
  }
}

/** How long a process waits for a person, or for another session, in milliseconds. */
export const PARK_MS = 600_000;

/** How long the CLI may take to write a prompt to its transcript (observed: 0.1 s), in milliseconds. */
const LONGEST_WRITE_MS = 5_000;
const POLL_MS = 10;

interface Opened {
  readonly session: Session;
  readonly host: TurnHost;
  readonly skills: SkillsPlugin | undefined;
  /** What the process was started with. */
  readonly setup: string;
  model: string | undefined;
}

async function endProcess(
  { session, host, skills }: Opened,
  turn: HarnessTurn | undefined,
): Promise<void> {
  await session.close();
  await host.close();
  await skills?.remove();
  await turn?.settled;
}

/** The MCP server that offers the host's tools to the model. */
const SERVER = "app";
const PREFIX = `mcp__${SERVER}__`;

function hostNameOf(name: string, names: ReadonlySet<string>): string | undefined {
  const host = name.startsWith(PREFIX) ? name.slice(PREFIX.length) : "";
  return names.has(host) ? host : undefined;
}

function withInstructions(
  own: SessionOptions["systemPrompt"],
  instructions: string | undefined,
): SessionOptions["systemPrompt"] {
  if (instructions === undefined) return own;
  if (own === undefined) return { type: "preset", preset: "claude_code", append: instructions };
  if (typeof own === "string") return own === "" ? instructions : `${own}\n\n${instructions}`;
  const { append } = own as { readonly append?: string };
  const both = append === undefined ? instructions : `${append}\n\n${instructions}`;
  return { ...own, append: both } as SessionOptions["systemPrompt"];
}

function outputFormatOf({ responseFormat }: TurnSettings): SessionOptions["outputFormat"] {
  if (responseFormat?.type !== "json") return undefined;
  if (responseFormat.schema !== undefined) {
    return { type: "json_schema", schema: responseFormat.schema as JsonSchema };
  }
  throw new HarnessCapabilityUnsupportedError({
    harnessId: "hawser",
    message: "The CLI gives JSON only by a schema. Use Output.object() with a schema.",
  });
}

/** The CLI sends these headers with its requests. */
function headerVariables(headers: StartFacts["headers"]): Record<string, string> {
  const lines = Object.entries(headers ?? {}).map(([name, value]) => `${name}: ${value}`);
  return lines.length === 0 ? {} : { ANTHROPIC_CUSTOM_HEADERS: lines.join("\n") };
}
