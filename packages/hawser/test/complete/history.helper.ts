import type { RecordedRequest } from "../../src/testing/index.js";
import {
  type ContentBlock,
  type History,
  type HistoryMessage,
  joinMessages,
  type Prompt,
} from "../../src/wire/index.js";
import { fc } from "../support/fc.js";

type Block = Readonly<Record<string, unknown>>;

interface Received {
  readonly role: string;
  readonly content: readonly Block[];
}

/** The messages of the user and the assistant in a request, without what the CLI adds to them. */
export function receivedIn({ body }: RecordedRequest): readonly Received[] {
  const { messages } = body as {
    readonly messages: readonly { readonly role: string; readonly content: string | Block[] }[];
  };
  return messages.flatMap(({ role, content }) => {
    if (role === "system") return [];
    const blocks: readonly Block[] =
      typeof content === "string" ? [{ type: "text", text: content }] : content;
    const own = blocks.filter((block) => !isOfCli(block));
    return [{ role, content: own.map(({ cache_control: _, ...rest }) => rest) }];
  });
}

/** Reminders, and what a reset leaves: three blocks before the first message. */
function isOfCli({ text }: Block): boolean {
  return (
    typeof text === "string" &&
    /^\s*<(?:system-reminder|local-command-\w+|command-name)>/.test(text)
  );
}

/** What the model must get for a call with this history and this prompt. */
export function expectedFor(history: History, prompt?: Prompt): readonly object[] {
  const last: History = prompt === undefined ? [] : [{ role: "user", content: prompt }];
  // JSON has no -0, for example.
  return JSON.parse(JSON.stringify(joinMessages([...history, ...last])));
}

export const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const image: ContentBlock = {
  type: "image",
  source: { type: "base64", media_type: "image/png", data: PIXEL },
};

/** Texts that the CLI would act on, if they were prompts of a person, and parts that say nothing. */
const MARKED = [
  "/clear",
  "/help me",
  "@/etc/hostname",
  "!ls",
  "# note",
  "<b>",
  "[Request interrupted by user]",
];

const anyText = fc.oneof(
  fc.string(),
  fc.string({ unit: "grapheme", maxLength: 60 }),
  fc.constantFrom(...MARKED, "", " ", "\n\n", "line\n\u2028line ", "Ünï 😀 \u0000 e\u0301"),
);
const realText = anyText.filter((text) => text.trim() !== "");
const textBlock = (text: fc.Arbitrary<string>) =>
  text.map((each): ContentBlock => ({ type: "text", text: each }));

const documentBlock = realText.map(
  (data): ContentBlock => ({
    type: "document",
    source: { type: "text", media_type: "text/plain", data },
    title: "A document",
  }),
);

const userContent = fc.oneof(
  realText,
  fc
    .tuple(
      fc.array(fc.oneof(textBlock(anyText), fc.constant(image), documentBlock), { maxLength: 3 }),
      textBlock(realText),
    )
    .map(([blocks, last]) => [...blocks, last]),
);

const thinking = fc.constantFrom<ContentBlock>(
  { type: "thinking", thinking: "Hm.", signature: "c2lnbmVk" },
  { type: "thinking", thinking: "", signature: "c2lnbmVk" },
  { type: "redacted_thinking", data: "ZGF0YQ==" },
);

const result = fc.oneof(
  anyText.map((content) => ({ content })),
  anyText.map((content) => ({ content, is_error: true })),
  fc.constant({}),
  textBlock(realText).map((block) => ({ content: [block, image] })),
);

/** Two messages of the user and the assistant; with tool calls, the results and a further reply. */
const exchange = fc.record({
  asked: userContent,
  thought: fc.option(thinking, { nil: undefined }),
  said: fc.array(textBlock(anyText), { maxLength: 2 }),
  answer: realText,
  calls: fc.array(
    fc.record({ name: fc.constantFrom("get", "mcp__a__b"), input: fc.jsonValue(), result }),
    {
      maxLength: 2,
    },
  ),
  follows: fc.boolean(),
});

/** A random history, which may end with tool results. */
export const histories: fc.Arbitrary<History> = fc
  .array(exchange, { minLength: 1, maxLength: 4 })
  .map((exchanges) =>
    exchanges.flatMap((each, i) => messagesOf(each, i, i === exchanges.length - 1)),
  );

type Exchange = typeof exchange extends fc.Arbitrary<infer T> ? T : never;

function messagesOf(
  { asked, thought, said, answer, calls, follows }: Exchange,
  number: number,
  isLast: boolean,
): readonly HistoryMessage[] {
  const before: readonly ContentBlock[] = [...(thought === undefined ? [] : [thought]), ...said];
  const user: HistoryMessage = { role: "user", content: asked };
  if (calls.length === 0) {
    const content: HistoryMessage["content"] =
      before.length === 0 ? answer : [...before, { type: "text", text: answer }];
    return [user, { role: "assistant", content }];
  }
  const id = (i: number) => `toolu_${number}_${i}`;
  const uses = calls.map(({ name, input }, i) => {
    return { type: "tool_use" as const, id: id(i), name, input: { input } };
  });
  const results = calls.map(({ result: given }, i) => {
    return { type: "tool_result" as const, tool_use_id: id(i), ...given };
  });
  const messages: HistoryMessage[] = [
    user,
    { role: "assistant", content: [...before, ...uses] },
    { role: "user", content: results },
  ];
  return isLast && follows ? messages : [...messages, { role: "assistant", content: answer }];
}
