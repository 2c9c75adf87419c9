import { isDeepStrictEqual } from "node:util";
import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";

/**
 * What is wrong with the parts of a stream: their order, their pairing, their ids, and their end. A correct stream has
 * no problems. `earlier` names the tool calls of the prompt: a stream that continues a turn may begin with their results.
 */
export function partProblems(
  parts: readonly LanguageModelV4StreamPart[],
  earlier: ReadonlySet<string> = new Set(),
): readonly string[] {
  const checker = new PartChecker(earlier);
  for (const part of parts) checker.read(part);
  return checker.end();
}

type Part = LanguageModelV4StreamPart;

class PartChecker {
  readonly #earlier: ReadonlySet<string>;
  readonly #problems: string[] = [];
  readonly #texts = new Intervals("text");
  readonly #reasonings = new Intervals("reasoning");
  readonly #inputs = new Intervals("tool-input");
  readonly #tools = new Map<string, ToolState>();
  readonly #approvals = new Set<string>();
  #count = 0;
  #hasFailed = false;
  #finish: Extract<Part, { type: "finish" }> | undefined;

  constructor(earlier: ReadonlySet<string>) {
    this.#earlier = earlier;
  }

  read(part: Part): void {
    const isFirst = this.#count === 0;
    this.#count += 1;
    if (isFirst !== (part.type === "stream-start")) {
      this.#wrong(isFirst ? `begins with ${part.type}` : "has two stream-start");
    }
    if (this.#finish !== undefined) this.#wrong(`${part.type} comes after finish`);
    if (this.#hasFailed && !AFTER_ERROR.has(part.type)) {
      this.#wrong(`${part.type} comes after an error`);
    }
    this.#readKind(part);
  }

  end(): readonly string[] {
    if (this.#finish === undefined) this.#wrong("has no finish");
    const left = [this.#texts, this.#reasonings, this.#inputs].flatMap((each) => each.open());
    for (const id of left) this.#wrong(`${id} is not closed`);
    return this.#problems;
  }

  #readKind(part: Part): void {
    switch (part.type) {
      case "text-start":
      case "text-delta":
      case "text-end":
        this.#note(this.#texts.read(part));
        break;
      case "reasoning-start":
      case "reasoning-delta":
      case "reasoning-end":
        this.#note(this.#reasonings.read(part));
        break;
      case "tool-input-start":
      case "tool-input-delta":
      case "tool-input-end":
        this.#note(this.#inputs.read(part));
        if (part.type === "tool-input-start") this.#startTool(part);
        break;
      case "tool-call":
        this.#call(part);
        break;
      case "tool-result":
        this.#result(part);
        break;
      case "tool-approval-request":
        if (this.#approvals.has(part.approvalId)) this.#wrong("repeats an approvalId");
        this.#approvals.add(part.approvalId);
        if (this.#tools.get(part.toolCallId)?.isCalled !== true) {
          this.#wrong(`asks for the approval of ${part.toolCallId}, which was not called`);
        }
        break;
      case "error":
        this.#hasFailed = true;
        break;
      case "finish":
        this.#checkFinish(part);
        break;
      default:
        break;
    }
  }

  #startTool({ id, toolName, providerExecuted, dynamic }: PartOf<"tool-input-start">): void {
    this.#tools.set(id, { toolName, providerExecuted, dynamic, isCalled: false, hasResult: false });
  }

  #call(part: PartOf<"tool-call">): void {
    const { toolCallId: id, toolName, input, providerExecuted, dynamic } = part;
    const started = this.#tools.get(id);
    if (started?.isCalled === true) this.#wrong(`${id} is called twice`);
    if (started !== undefined) {
      const facts = { toolName, providerExecuted, dynamic };
      const { isCalled: _, hasResult: __, ...before } = started;
      if (!isDeepStrictEqual(facts, before)) this.#wrong(`${id} is not called as it was started`);
      if (this.#inputs.isOpen(id)) this.#wrong(`${id} is called before tool-input-end`);
      const streamed = this.#inputs.textOf(id);
      if (parsed(streamed) === undefined || !isDeepStrictEqual(parsed(streamed), parsed(input))) {
        this.#wrong(`${id} has another input than its deltas: ${streamed}`);
      }
    }
    if (parsed(input) === undefined) this.#wrong(`${id} has an input that is not JSON`);
    this.#tools.set(id, { toolName, providerExecuted, dynamic, isCalled: true, hasResult: false });
  }

  #result({ toolCallId: id, toolName, dynamic, preliminary }: PartOf<"tool-result">): void {
    const tool = this.#tools.get(id) ?? this.#earlierTool(id, toolName);
    if (tool?.isCalled !== true) {
      this.#wrong(`${id} has a result but no call`);
      return;
    }
    if (tool.hasResult) this.#wrong(`${id} has two results`);
    if (tool.providerExecuted !== true)
      this.#wrong(`${id} is not the provider's, but has a result`);
    if (tool.toolName !== toolName || tool.dynamic !== dynamic) {
      this.#wrong(`${id} has a result of another tool`);
    }
    this.#tools.set(id, { ...tool, hasResult: preliminary !== true });
  }

  /** A tool call of the prompt that the provider executes. */
  #earlierTool(id: string, toolName: string): ToolState | undefined {
    if (!this.#earlier.has(id)) return undefined;
    const isProviders = { providerExecuted: true, dynamic: true };
    return { toolName, ...isProviders, isCalled: true, hasResult: false };
  }

  #checkFinish(part: PartOf<"finish">): void {
    this.#finish ??= part;
    const { unified } = part.finishReason;
    const isOwed = [...this.#tools.values()].some(
      ({ isCalled, hasResult }) => isCalled && !hasResult,
    );
    if (unified === "tool-calls" && !isOwed) this.#wrong("finishes with tool-calls, but has none");
    if (this.#hasFailed !== (unified === "error")) {
      this.#wrong(
        this.#hasFailed ? "has an error, but another finish" : "finishes with no error part",
      );
    }
  }

  #note(problem: string | undefined): void {
    if (problem !== undefined) this.#wrong(problem);
  }

  #wrong(problem: string): void {
    this.#problems.push(`part ${this.#count}: ${problem}`);
  }
}

/** After an error, only what is open is closed, and the stream finishes. */
const AFTER_ERROR: ReadonlySet<string> = new Set([
  "text-end",
  "reasoning-end",
  "tool-input-end",
  "raw",
  "error",
  "finish",
]);

/** Parts of one kind, from a start to an end with the same id. */
class Intervals {
  readonly #kind: string;
  readonly #states = new Map<string, { isOpen: boolean; text: string }>();

  constructor(kind: string) {
    this.#kind = kind;
  }

  /** The problem of the part, if there is one. */
  read(part: {
    readonly type: string;
    readonly id: string;
    readonly delta?: string;
  }): string | undefined {
    const { type, id, delta } = part;
    const state = this.#states.get(id);
    if (type.endsWith("-start")) {
      this.#states.set(id, { isOpen: true, text: "" });
      return state === undefined ? undefined : `${type} repeats the id ${id}`;
    }
    if (state?.isOpen !== true) return `${type} for ${id}, which is not open`;
    if (type.endsWith("-end")) state.isOpen = false;
    else if (delta === "") return `${type} for ${id} is empty`;
    state.text += delta ?? "";
    return undefined;
  }

  isOpen(id: string): boolean {
    return this.#states.get(id)?.isOpen === true;
  }

  textOf(id: string): string {
    return this.#states.get(id)?.text ?? "";
  }

  open(): readonly string[] {
    return [...this.#states]
      .filter(([, { isOpen }]) => isOpen)
      .map(([id]) => `${this.#kind} ${id}`);
  }
}

interface ToolState {
  readonly toolName: string;
  readonly providerExecuted: boolean | undefined;
  readonly dynamic: boolean | undefined;
  readonly isCalled: boolean;
  readonly hasResult: boolean;
}

type PartOf<T extends Part["type"]> = Extract<Part, { type: T }>;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
