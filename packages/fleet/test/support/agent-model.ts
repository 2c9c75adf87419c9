import { randomUUID } from "node:crypto";
import { type RecordedRequest, type ReplyInput, SimulatedModel } from "hawser/testing";

/** What the model is asked, and what has happened before. */
export interface ModelTurn {
  readonly call: RecordedRequest;
  /** The results of all tool calls so far, as text. */
  readonly results: readonly string[];
  /** The last text of a user. */
  readonly prompt: string;
}

export type Agent = (turn: ModelTurn) => ReplyInput | Promise<ReplyInput>;

/** A simulated model that plays many agents: a conversation that contains the name of an agent is answered by it. */
export class AgentModel {
  readonly #model: SimulatedModel;
  readonly #agents: Map<string, Agent>;

  private constructor(model: SimulatedModel, agents: Map<string, Agent>) {
    this.#model = model;
    this.#agents = agents;
  }

  static async start(): Promise<AgentModel> {
    const agents = new Map<string, Agent>();
    return new AgentModel(
      await SimulatedModel.start({ replies: (call) => answer(agents, call) }),
      agents,
    );
  }

  get url(): string {
    return this.#model.url;
  }

  get calls(): readonly RecordedRequest[] {
    return this.#model.calls;
  }

  /** The name of a new agent, for the prompt of its run. */
  agent(agent: Agent): string {
    const name = `[${randomUUID()}]`;
    this.#agents.set(name, agent);
    return name;
  }

  /** The requests of the conversations of an agent. */
  requestsOf(name: string): RecordedRequest[] {
    return this.#model.calls.filter((call) => textsOf(call).some((text) => text.includes(name)));
  }

  close(): Promise<void> {
    return this.#model.close();
  }
}

async function answer(agents: Map<string, Agent>, call: RecordedRequest): Promise<ReplyInput> {
  const texts = textsOf(call);
  const found = [...agents].find(([name]) => texts.some((text) => text.includes(name)));
  if (found === undefined) return `No agent answers ${JSON.stringify(texts.at(-1))}.`;
  return await found[1]({ call, results: resultsOf(call), prompt: texts.at(-1) ?? "" });
}

interface Block {
  readonly type?: string;
  readonly text?: string;
  readonly content?: unknown;
}

function blocksOf(call: RecordedRequest): Block[] {
  const { messages } = call.body as {
    messages: readonly { readonly role: string; readonly content: string | Block[] }[];
  };
  return messages
    .filter(({ role }) => role === "user")
    .flatMap(({ content }) =>
      typeof content === "string" ? [{ type: "text", text: content }] : content,
    );
}

function textsOf(call: RecordedRequest): string[] {
  return blocksOf(call).flatMap(({ type, text }) =>
    type === "text" && text !== undefined && !text.startsWith("<system-reminder>") ? [text] : [],
  );
}

function resultsOf(call: RecordedRequest): string[] {
  return blocksOf(call).flatMap(({ type, content }) =>
    type === "tool_result" ? [typeof content === "string" ? content : JSON.stringify(content)] : [],
  );
}
