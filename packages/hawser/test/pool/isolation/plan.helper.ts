import { join } from "node:path";
import { createSdkMcpServer, tool } from "../../../src/mcp/index.js";
import type { CanUseTool, Options } from "../../../src/options/index.js";
import type { History, Prompt } from "../../../src/wire/index.js";
import { Random } from "./random.helper.js";

/** How a call ends. */
export type Fate =
  | "answered"
  | "400"
  | "500"
  | "429"
  | "529"
  | "refusal"
  | "max_turns"
  | "aborted at once"
  | "aborted while the model thinks"
  | "aborted in the answer"
  | "timeout";

export type Kind = "lean" | "stranger" | "shell" | "program" | "asked" | "session";

/** One call, with all words that may appear in its requests and results. */
export interface Planned {
  readonly number: number;
  readonly kind: Kind;
  readonly fate: Fate;
  readonly streams: boolean;
  readonly prompt: Prompt;
  readonly options: Options;
  /** Identifies the call wherever it appears. */
  readonly word: string;
  readonly answer: string;
  readonly system: string;
  readonly home: Home;
  readonly grant: string;
  /** A permission of another call. */
  readonly foreign: string;
  readonly own: ReadonlySet<string>;
  readonly abort: AbortController;
  /** The questions that the callbacks of this call got. */
  readonly asked: string[];
}

/** Where a call runs: an environment and a folder, each with a word of its own. */
export interface Home {
  readonly word: string;
  readonly folder: string;
  readonly options: Options;
}

interface Profile {
  readonly home: Home;
  readonly system: string;
  readonly options: Options;
  readonly words: readonly string[];
}

/** Calls with a few homes and profiles, so that processes can be reused, and some calls that share none. */
export function plan(seed: number, count: number, root: string, base: Options): Planned[] {
  const random = new Random(seed);
  const homes = homesOf(random, root, base);
  const profiles = Array.from({ length: 2 + random.below(2) }, () =>
    profileOf(random, random.pick(homes)),
  );
  const grants = [random.word()];
  return Array.from({ length: count }, (_, number) => {
    const kind = random.weighted(KINDS);
    const fate = random.weighted(kind === "lean" || kind === "stranger" ? FATES : TOOL_FATES);
    const profile =
      kind === "lean" ? random.pick(profiles) : profileOf(random, random.pick(homes), kind);
    const planned = callOf(random, { number, kind, fate, profile, foreign: random.pick(grants) });
    grants.push(planned.grant);
    return planned;
  });
}

const KINDS: Readonly<Record<Kind, number>> = {
  lean: 75,
  stranger: 5,
  shell: 6,
  program: 5,
  asked: 5,
  session: 4,
};

const FATES: Readonly<Record<Fate, number>> = {
  answered: 68,
  "400": 5,
  "500": 4,
  "429": 1,
  "529": 1,
  refusal: 4,
  max_turns: 5,
  "aborted at once": 3,
  "aborted while the model thinks": 3,
  "aborted in the answer": 3,
  timeout: 3,
};

/** For calls that use tools. */
const TOOL_FATES: typeof FATES = {
  ...Object.fromEntries(Object.keys(FATES).map((fate) => [fate, 0])),
  answered: 90,
  "aborted while the model thinks": 10,
} as typeof FATES;

/** Two environments, two folders each. */
function homesOf(random: Random, root: string, base: Options): readonly Home[] {
  return [0, 1].flatMap(() => {
    const word = random.word();
    return [0, 1].map(() => {
      const folder = random.word();
      const env = { ...base.env, HOME_WORD: word, ANTHROPIC_CUSTOM_HEADERS: `X-Canary: ${word}` };
      return { word, folder, options: { ...base, env, cwd: join(root, folder) } };
    });
  });
}

function profileOf(random: Random, home: Home, kind: Kind = "lean"): Profile {
  const [system, about] = [random.word(), random.word()];
  const asAgent = { helper: { description: `Helps with ${about}.`, prompt: `Say ${about}.` } };
  const forms: readonly Options[] = [
    {},
    { schema: schemaOf(about) },
    { agents: asAgent },
    { model: "claude-haiku-4-5" },
    { model: "claude-sonnet-4-5", maxTurns: 1, effort: "low" },
  ];
  const systemPrompt = `Your word is ${system}.`;
  const form = kind === "lean" || kind === "stranger" ? random.pick(forms) : {};
  const own = kind === "session" ? LEAN_SESSION : {};
  return {
    home,
    system,
    words: [system, about],
    options: { ...home.options, ...own, retry: { cliRetries: 0 }, systemPrompt, ...form },
  };
}

const LEAN_SESSION: Options = { preset: "lean" };

function schemaOf(about: string): Record<string, unknown> {
  const word = { type: "string", description: `About ${about}` };
  return { type: "object", properties: { word }, required: ["word"] };
}

interface Draft {
  readonly number: number;
  readonly kind: Kind;
  readonly fate: Fate;
  readonly profile: Profile;
  readonly foreign: string;
}

function callOf(random: Random, { number, kind, fate, profile, foreign }: Draft): Planned {
  const [word, answer, grant] = [random.word(), random.word(), random.word()];
  const abort = new AbortController();
  const asked: string[] = [];
  const { home, system } = profile;
  // Choices of its own, so that a seed still means the same calls.
  const conversation = conversationOf(new Random(1_000_003 * number + 17), kind, profile);
  return {
    number,
    kind,
    fate,
    streams: random.next() < 0.4,
    prompt: promptOf(random, word, home),
    options: {
      ...profile.options,
      ...toolsOf(kind, grant, asked),
      ...conversation.options,
      ...(fate === "timeout" ? { timeouts: { totalMs: 900 } } : {}),
      ...(kind === "session" ? {} : { signal: abort.signal }),
    },
    word,
    answer,
    system,
    home,
    grant,
    foreign,
    own: new Set([
      word,
      answer,
      grant,
      foreign,
      home.word,
      home.folder,
      ...profile.words,
      ...conversation.words,
    ]),
    abort,
    asked,
  };
}

interface Conversation {
  readonly options: Options;
  readonly words: readonly string[];
}

/** Earlier messages with words of their own, and tools of the caller. A profile has the same tools each time. */
function conversationOf(random: Random, kind: Kind, { system, options }: Profile): Conversation {
  if (kind !== "lean") return { options: {}, words: [] };
  const words = [random.word(), random.word(), random.word()];
  const id = `toolu_${words[2]}`;
  const history: History = [
    { role: "user", content: `Earlier: ${words[0]}.` },
    {
      role: "assistant",
      content: [{ type: "tool_use", id, name: "look", input: { at: words[1] } }],
    },
    {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: id, content: `Seen ${words[0]}.` }],
    },
    { role: "assistant", content: `I saw ${words[1]}.` },
  ];
  const hasHistory = random.next() < 0.5;
  // By the profile, so that its calls can follow each other on one process.
  const hasTools = system.charCodeAt(system.length - 1) % 3 === 0 && options.schema === undefined;
  const inputSchema = { type: "object", properties: { word: { type: "string" } } } as const;
  const note = { name: "note", description: `Notes for ${system}.`, inputSchema };
  return {
    options: {
      ...(hasHistory ? { history } : {}),
      ...(hasTools ? { clientTools: [note] } : {}),
    },
    words,
  };
}

function promptOf(random: Random, word: string, { word: home }: Home): Prompt {
  const text = `Say something about ${word}.`;
  if (random.next() < 0.8) return text;
  const data = `${PIXEL}${word}`;
  const source = { type: "base64" as const, media_type: "image/png" as const, data };
  return [
    { type: "text", text: `${text} At home: ${home}.` },
    { type: "image", source },
  ];
}

/** A complete image. Readers ignore bytes after its end. */
const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYIIA";

/** Permissions that no other call has. */
function toolsOf(kind: Kind, grant: string, asked: string[]): Options {
  if (kind === "shell") {
    const allowedTools = [`Bash(touch ${grant})`, "Bash(printenv HOME_WORD)", "Bash(pwd)"];
    return { tools: ["Bash"], allowedTools };
  }
  if (kind === "asked") return { tools: ["Bash"], canUseTool: approverOf(grant, asked) };
  if (kind !== "program") return {};
  const say = tool("say", `Says ${grant}.`, {}, async () => {
    asked.push(grant);
    return { content: [{ type: "text" as const, text: grant }] };
  });
  const server = createSdkMcpServer({ name: "own", tools: [say], alwaysLoad: true });
  return { mcpServers: { own: server }, allowedTools: ["mcp__own"] };
}

/** Allows the command of its call for the whole session, and denies others. */
function approverOf(grant: string, asked: string[]): CanUseTool {
  return (toolName, { command }) => {
    asked.push(String(command));
    if (command !== `touch ${grant}`) return { behavior: "deny", message: "Not this one." };
    const rules = [{ toolName, ruleContent: `touch ${grant}` }];
    const grants = { type: "addRules", behavior: "allow", destination: "session", rules } as const;
    return { behavior: "allow", updatedPermissions: [grants] };
  };
}
