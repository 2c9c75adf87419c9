import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createGateway, type Gateway } from "@hawser/gateway";
import type { Pool, Session } from "hawser";
import { hang, type ReplyInput, reply, text, thinking, toolUse } from "hawser/testing";
import type { PageWorld } from "./page-world.js";
import { writeTranscript } from "./write-transcript.js";

export const DEMO_TRANSCRIPT = "5d0c7a52-1b7e-4a8e-9a43-0c4b6d1f2e11";

/**
 * Fills a world with everything that the views show: a session that waits for answers, one that works with
 * sub-agents, one that failed, a transcript on disk, and requests of a gateway.
 */
export class Demo {
  readonly #world: PageWorld;
  readonly #pool: Pool;
  #gateway: Gateway | undefined;
  #release: () => void = () => {};
  readonly #turns: Promise<unknown>[] = [];

  constructor(world: PageWorld, pool: Pool) {
    this.#world = world;
    this.#pool = pool;
  }

  async start(): Promise<void> {
    const world = this.#world;
    writeTranscript(world.place.configDir, DEMO_TRANSCRIPT, TRANSCRIPT);
    mkdirSync(join(world.place.cwd, "src"), { recursive: true });
    writeFileSync(join(world.place.cwd, "src/rope.ts"), ROPE);
    const held = new Promise<void>((resolve) => {
      this.#release = resolve;
    });
    const asking = await world.open();
    await this.#untilAsked(asking, "Make the rope longer, then build.", [
      // The CLI refuses to edit a file that it has not read.
      toolUse("Read", { file_path: join(world.place.cwd, "src/rope.ts") }),
      toolUse("Edit", {
        file_path: join(world.place.cwd, "src/rope.ts"),
        old_string: "const LENGTH = 10;",
        new_string: "const LENGTH = 25;\nconst WIDTH = 3;",
      }),
    ]);
    const second = await world.open();
    await this.#untilAsked(second, "Which tests fail? Run them all.", [
      [
        text("I run the tests first."),
        toolUse("Bash", { command: "npm test -- --reporter=dot", description: "Run all tests" }),
      ],
    ]);
    const failing = await world.open();
    world.script(...Array.from({ length: 4 }, () => hang()));
    const turn = failing.send("Measure the rope.").text();
    const failed = turn.catch(() => {});
    // The process of the session dies in the middle of its turn, as if the system had killed it.
    if (failing.pid !== undefined) process.kill(failing.pid, "SIGKILL");
    await failed;
    this.#gateway = createGateway({ pool: this.#pool, options: world.options });
    await this.#ask("What is a hawser?", "sonnet");
    await this.#ask("What is a bollard?", "no-such-model/x");
    const working = await world.open();
    this.#work(working, held);
  }

  /** A client of a gateway in the same program. */
  async #ask(content: string, model: string): Promise<void> {
    this.#world.script("A thick rope for mooring ships.");
    const request = new Request("http://localhost/v1/messages", {
      method: "POST",
      headers: { "content-type": "application/json", "anthropic-version": "2023-06-01" },
      body: JSON.stringify({ model, max_tokens: 100, messages: [{ role: "user", content }] }),
    });
    const response = await this.#gateway?.fetch(request);
    await response?.text();
  }

  /** Lets the turns end that wait for this. */
  async end(): Promise<void> {
    this.#release();
    for (const { id } of this.#world.approvals.pending()) {
      await this.#world.approvals.answer(id, { behavior: "deny", interrupt: true });
    }
    await Promise.allSettled(this.#turns);
    await this.#gateway?.close();
  }

  async #untilAsked(
    session: Session,
    prompt: string,
    replies: readonly ReplyInput[],
  ): Promise<void> {
    const before = this.#world.approvals.pending().length;
    this.#world.script(...replies);
    this.#turns.push(session.send(prompt).text());
    for await (const change of this.#world.approvals) {
      if (change.type === "asked" && this.#world.approvals.pending().length > before) return;
    }
  }

  /** A turn with a sub-agent, whose model does not answer before the end. */
  #work(session: Session, held: Promise<void>): void {
    const agent = {
      description: "Look for knots",
      prompt: "sub: look for knots",
      subagent_type: "general-purpose",
      run_in_background: false,
    };
    const answer = async (call: { readonly body: { readonly messages: readonly unknown[] } }) => {
      const all = JSON.stringify(call.body.messages);
      if (!all.includes("Survey the harbour")) {
        if (!all.includes('"tool_result"')) {
          return toolUse("Read", { file_path: join(this.#world.place.cwd, "src/rope.ts") });
        }
        await held;
        return "Found one.";
      }
      if (all.includes("Found one.")) return "Done.";
      return reply([
        thinking("I should look at the ropes first."),
        text("I look at the ropes, and let an agent look for knots.\n"),
        toolUse("Agent", agent),
      ]);
    };
    this.#world.script(...Array.from({ length: 10 }, () => answer as never));
    this.#turns.push(session.send("Survey the harbour and report.").text());
  }
}

/** The file and its edits, as a reader of the screenshots sees them. */
const ROPE = `// The rope of the ship.
const LENGTH = 10;

export function pull(force: number): number {
  return force / LENGTH;
}
`;

const TRANSCRIPT = [
  { type: "user", content: "The build fails since yesterday. Find out why, and mend it." },
  {
    type: "assistant",
    content: [
      { type: "thinking", thinking: "First the log of the build, then the last commits." },
      { type: "text", text: "I look at the **log of the build** first." },
      {
        type: "tool_use",
        id: "t1",
        name: "Bash",
        input: { command: "npm run build 2>&1 | tail -5", description: "Show the end of the log" },
      },
    ],
  },
  {
    type: "user",
    content: [
      {
        type: "tool_result",
        tool_use_id: "t1",
        is_error: true,
        content:
          "src/rope.ts(2,7): error TS2322: Type 'string' is not assignable to type 'number'.",
      },
    ],
  },
  {
    type: "assistant",
    content: [
      { type: "text", text: "A number became a text. I change it back." },
      {
        type: "tool_use",
        id: "t2",
        name: "Edit",
        input: {
          file_path: "/work/src/rope.ts",
          old_string: 'const LENGTH = "10";\nconst WIDTH = 2;',
          new_string: "const LENGTH = 10;\nconst WIDTH = 2;",
        },
      },
    ],
  },
  {
    type: "user",
    content: [{ type: "tool_result", tool_use_id: "t2", content: "The file was changed." }],
  },
  {
    type: "assistant",
    content: [
      {
        type: "text",
        text: "The build works again.\n\n1. The commit `4f2a` had made `LENGTH` a text.\n2. I changed it back.\n\n| check | result |\n|---|---|\n| build | ok |\n| tests | ok |",
      },
    ],
  },
] as const;
