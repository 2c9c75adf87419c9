import { type Inspector, type InspectorOptions, inspector } from "@hawser/inspector";
import { type Approvals, createApprovals, openSession, type Session } from "hawser";
import {
  type IsolatedEnv,
  isolatedEnv,
  type ReplyFunction,
  type ReplyInput,
  SimulatedModel,
} from "hawser/testing";
import type { BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll } from "vitest";
import { nativeCli } from "../../../../../tools/native-cli.js";
import { type StartedBrowser, startBrowser } from "./browser.js";

/** What a page must never report: a script that failed, or something that the policy of the page refused. */
export type Complaints = string[];

/** A program with `inspector()`, the real CLI, a simulated model, and a real browser that shows the page. */
export class PageWorld {
  readonly approvals: Approvals = createApprovals();
  readonly #options: InspectorOptions;
  #replies: (ReplyInput | ReplyFunction)[] = [];
  #model: SimulatedModel | undefined;
  #place: IsolatedEnv | undefined;
  #inspector: Inspector | undefined;
  #browser: StartedBrowser | undefined;
  #url = "";
  readonly #sessions: Session[] = [];
  readonly complaints: Complaints = [];

  constructor(options: InspectorOptions = {}) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const [model, browser] = await Promise.all([this.#startModel(), startBrowser()]);
    this.#model = model;
    this.#browser = browser;
    this.#place = await isolatedEnv({ baseUrl: model.url });
    this.#inspector = inspector({
      approvals: this.approvals,
      announce: false,
      name: "test program",
      transcripts: { configDir: this.#place.configDir },
      ...this.#options,
    });
    this.#url = await this.#inspector.listen();
  }

  async close(): Promise<void> {
    await this.#browser?.close();
    await Promise.allSettled(this.#sessions.map((session) => session.kill()));
    await this.#inspector?.close();
    await this.approvals.close();
    await this.#place?.dispose();
    await this.#model?.close();
  }

  get model(): SimulatedModel {
    return started(this.#model);
  }

  get place(): IsolatedEnv {
    return started(this.#place);
  }

  get inspector(): Inspector {
    return started(this.#inspector);
  }

  /** The address of the page, with the token. */
  get url(): string {
    return this.#url;
  }

  /** The options that keep a session inside of this world. */
  get options() {
    const { cwd, env } = this.place;
    const cliPath = nativeCli("@anthropic-ai/claude-code");
    return { cliPath, cwd, env, inheritEnv: false } as const;
  }

  /** What the model answers from now on, one entry for each request; then `Done.` */
  script(...replies: readonly (ReplyInput | ReplyFunction)[]): void {
    this.#replies = [...replies];
  }

  /** Opens a session whose questions appear on the page. */
  async open(): Promise<Session> {
    const { canUseTool, onElicitation } = this.approvals;
    const session = await openSession({ ...this.options, canUseTool, onElicitation });
    this.#sessions.push(session);
    return session;
  }

  /** Opens the page in a browser of its own, and waits until it is connected. */
  async page(route = "", options: BrowserContextOptions = {}): Promise<Page> {
    const context = await started(this.#browser).browser.newContext({
      viewport: { width: 1280, height: 860 },
      ...options,
    });
    const page = await context.newPage();
    await this.watch(page);
    await page.goto(this.#url);
    if (route !== "") await this.go(page, route);
    await page.getByText("Connected", { exact: true }).waitFor({ state: "attached" });
    return page;
  }

  /** Another tab of the same browser. */
  async secondTab(page: Page): Promise<Page> {
    const tab = await page.context().newPage();
    await this.watch(tab);
    await tab.goto(this.#url);
    return tab;
  }

  /** Opens a view of an open page. */
  async go(page: Page, route: string): Promise<void> {
    await page.evaluate((hash) => {
      location.hash = hash;
    }, `#/${route}`);
  }

  /** Collects what the page complains about. */
  async watch(page: Page): Promise<void> {
    page.on("pageerror", (error) => this.complaints.push(`error: ${error.message}`));
    page.on("dialog", (dialog) => {
      this.complaints.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    await page.exposeFunction("complain", (text: string) => this.complaints.push(text));
    await page.addInitScript(() => {
      addEventListener("securitypolicyviolation", (event) => {
        const { complain } = window as unknown as { complain: (text: string) => void };
        complain(`policy: ${event.violatedDirective} ${event.blockedURI}`);
      });
    });
  }

  #startModel(): Promise<SimulatedModel> {
    return SimulatedModel.start({
      replies: (call) => {
        const next = this.#replies.shift() ?? "Done.";
        return typeof next === "function" ? next(call) : next;
      },
    });
  }
}

/** One world for all tests of a file. */
export function pageWorld(options?: InspectorOptions): PageWorld {
  const world = new PageWorld(options);
  beforeAll(() => world.start());
  afterAll(() => world.close());
  return world;
}

function started<T>(part: T | undefined): T {
  if (part === undefined) throw new Error("The world starts before the first test.");
  return part;
}
