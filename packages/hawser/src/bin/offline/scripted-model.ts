import { getPath } from "../../base/index.js";
import { sampleValue } from "./sample-value.js";

/** A request to the scripted model. */
export interface ModelQuestion {
  readonly prompt: string;
  /** The tools that the model may call; undefined if they are not known. */
  readonly tools?: readonly string[];
  /** The results of the tools that the model called last. */
  readonly results?: readonly { readonly text: string; readonly isError: boolean }[];
  /** The JSON Schema that the answer has to fit. */
  readonly schema?: unknown;
}

export type ModelAnswer =
  | { readonly say: string; readonly slowly?: true }
  | { readonly use: string; readonly input: Record<string, unknown> }
  | { readonly value: unknown };

/** Prompts that make the model do something, with what it does. */
export const SCRIPTED_PROMPTS: readonly (readonly [string, string])[] = [
  ["run uname -a", "calls the Bash tool"],
  ["read package.json", "calls the Read tool"],
  ["write knot.txt: bowline", "calls the Write tool"],
  ["count to 100", "answers slowly, so that you can interrupt it"],
];

/** The answer of a model that knows a few prompts, so that everything around it can be tried offline. */
export function answerTo({ prompt, tools, results = [], schema }: ModelQuestion): ModelAnswer {
  const asked = prompt.trim();
  const known = KNOWN_TOPICS.find(({ about }) => about.test(asked));
  if (schema !== undefined) {
    return { value: known?.value ?? voteFor(asked, schema) ?? sampleValue(schema) };
  }
  const [result] = results;
  if (result !== undefined) return { say: reportOn(result) };
  const call = callFor(asked);
  if (call !== undefined) {
    if (tools?.includes(call.use) !== false) return call;
    return { say: `I have no tool ${call.use} here. Give me one: --tools ${call.use}` };
  }
  const count = /^count to (\d{1,4})$/i.exec(asked)?.[1];
  if (count !== undefined) return { say: numbers(Number(count)), slowly: true };
  if (known?.say !== undefined) return { say: known.say };
  return { say: `${greeting(asked)} You said: ${asked}` };
}

/** The vote of a reviewer, if one is asked for: a change with the word FIXME is rejected. */
function voteFor(prompt: string, schema: unknown): object | undefined {
  const isVote = ["verdict", "findings"].every(
    (name) => getPath(schema, "properties", name) !== undefined,
  );
  if (!isVote) return undefined;
  const isBad = prompt.includes("FIXME");
  const finding = { severity: "warning", title: "FIXME", detail: "Something is not finished." };
  return {
    verdict: isBad ? "reject" : "approve",
    confidence: 0.5,
    summary: isBad ? "It is not finished." : "I see nothing wrong, but I am a simulated model.",
    reasons: "I have looked for the word FIXME.",
    conditions: [],
    findings: isBad ? [finding] : [],
    recommendation: isBad ? "Finish it." : "Ask a real model.",
  };
}

interface KnownTopic {
  readonly about: RegExp;
  readonly say?: string;
  readonly value?: unknown;
}

const KNOWN_TOPICS: readonly KnownTopic[] = [
  {
    about: /how strong is a bowline/i,
    say: "A bowline keeps about two thirds of its rope's strength.",
    value: { name: "bowline", strength: 0.65, uses: ["mooring", "rescue"] },
  },
  { about: /\bhawser\b/i, say: "A hawser is a thick rope for mooring or towing a ship." },
  { about: /\bbowline\b/i, say: "A bowline makes a loop that neither slips nor jams." },
  { about: /\bsheet bend\b/i, say: "A sheet bend joins two ropes, also of different size." },
  { about: /\bclove hitch\b/i, say: "A clove hitch holds a rope to a post." },
  { about: /\bfigure eight\b/i, say: "A figure eight keeps a rope from running out." },
];

function callFor(prompt: string): { use: string; input: Record<string, unknown> } | undefined {
  const [, verb = "", rest = ""] = /^(run|read|write) +(\S[\s\S]*)$/i.exec(prompt) ?? [];
  switch (verb.toLowerCase()) {
    case "run":
      return { use: "Bash", input: { command: rest, description: "What you have asked for" } };
    case "read":
      return { use: "Read", input: { file_path: rest } };
    case "write": {
      const [, file_path = rest, content = ""] = /^(.+?): ?([\s\S]*)$/.exec(rest) ?? [];
      return { use: "Write", input: { file_path, content: `${content}\n` } };
    }
    default:
      return undefined;
  }
}

function reportOn({ text, isError }: { readonly text: string; readonly isError: boolean }): string {
  const shown = text.trim() === "" ? "nothing" : text.trim();
  return isError ? `It did not work: ${shown}` : `Done. It gave:\n\n${shown}`;
}

function numbers(last: number): string {
  return Array.from({ length: last }, (_, i) => i + 1).join(" ");
}

function greeting(prompt: string): string {
  const hello = /^(hello|hi|hey)\b/i.test(prompt) ? "Hello! " : "";
  return `${hello}I am a simulated model: I know nothing, and cost nothing.`;
}
