import {
  type Approvals,
  CHANNELS,
  type EventChannel,
  type EventChannels,
  type Message,
} from "hawser";
import { GATEWAY_CHANNELS } from "../http/gateway-channels.js";
import { sizeOf, WIDE_LIMITS } from "./cut-value.js";
import { EventLog, type EventLogOptions } from "./event-log.js";
import type { EventKind, NativeEvent } from "./event-shape.js";
import { FailureLog } from "./failure-log.js";
import { LiveState } from "./live-state.js";
import { SessionOwners } from "./session-owners.js";
import { type EventNames, type Fields, shapeEvent } from "./shape-event.js";
import { type TextPiece, TextPieces } from "./text-pieces.js";
import { TurnMeters } from "./turn-meters.js";

export interface EventFeedOptions extends EventLogOptions {
  readonly approvals: readonly Approvals[];
  readonly mask: (text: string) => string;
  /** The number of the gateway whose requests are events; undefined for those of all gateways. */
  readonly gateway: number | undefined;
  /** Whether the channels are read. Otherwise there are no events. */
  readonly watchesProgram: boolean;
  /** Told of an event that could not be translated. */
  readonly onFault: (error: unknown) => void;
}

/**
 * Reads the channels of `hawser` from its creation until `close()`, and keeps two things in step: the log of
 * events, and the state that they add up to.
 */
export class EventFeed {
  readonly log: EventLog;
  readonly state: LiveState = new LiveState();
  readonly failures: FailureLog = new FailureLog();
  readonly owners: SessionOwners = new SessionOwners();
  readonly meters: TurnMeters = new TurnMeters();
  /** Whether the sessions of the API are being closed because the server ends. */
  isDraining = false;
  readonly #options: EventFeedOptions;
  readonly #pieces = new TextPieces((piece) => this.#push("turn.text", shownPiece(piece)));
  /** The replies whose text was streamed, by session. */
  readonly #streamed = new Map<number, Set<string>>();
  /** The session of each CLI id, for approvals, which have no number. */
  readonly #numbers = new Map<string, number>();
  readonly #stop: (() => void)[] = [];

  constructor(options: EventFeedOptions) {
    this.#options = options;
    this.log = new EventLog(options);
    if (!options.watchesProgram) return;
    for (const name of Object.keys(KINDS) as ChannelName[]) {
      // Only the fields count here, whatever the type of the events.
      this.#subscribe(CHANNELS[name] as AnyChannel, (event) => this.#on(name, event));
    }
    const { requestStart, requestEnd } = GATEWAY_CHANNELS;
    this.#subscribe(requestStart as AnyChannel, (event) => this.#onRequest("request.start", event));
    this.#subscribe(requestEnd as AnyChannel, (event) => this.#onRequest("request.end", event));
  }

  close(): void {
    this.#pieces.flushAll();
    for (const stop of this.#stop.splice(0)) stop();
    this.log.close();
  }

  /** The API's id of a session with this number. */
  idOfSession(session: number): string {
    return `ses_${this.log.run}_${session}`;
  }

  /** The number in an id of a session of this run. */
  numberOfSession(id: string): number | undefined {
    const digits = /^ses_([0-9a-f]+)_(\d{1,15})$/.exec(id);
    return digits?.[1] === this.log.run ? Number(digits[2]) : undefined;
  }

  #subscribe(anyChannel: AnyChannel, take: (event: Fields) => void): void {
    const channel = anyChannel as EventChannel<Fields>;
    const listen = (event: Fields): void => {
      try {
        take(event);
      } catch (error) {
        // A subscriber that throws would end the program.
        this.#options.onFault(error);
      }
    };
    channel.subscribe(listen);
    this.#stop.push(() => channel.unsubscribe(listen));
  }

  /**
   * Requests of the native API itself are left out: they have events of their own, and a client that polls would
   * fill the log with its own requests.
   */
  #onRequest(kind: "request.start" | "request.end", event: Fields): void {
    const { gateway = numberIn(event, "gateway") } = this.#options;
    // Another gateway of the program may have tenants of the same names.
    if (gateway !== numberIn(event, "gateway")) return;
    if (textIn(event, "path")?.startsWith("/hawser/") !== true) this.#push(kind, event);
  }

  #on(name: ChannelName, event: Fields): void {
    const session = this.#sessionOf(event);
    if (name === "sessionMessages") {
      this.#onMessages(event);
      return;
    }
    const kind = KINDS[name];
    // So that the events of a session keep their order.
    if (session !== undefined) this.#pieces.flush(session);
    const added = this.#before(kind, event, session);
    this.#push(kind, added === undefined ? event : { ...event, ...added });
    this.#after(kind, event, session);
  }

  /** What an event says beside the fields of the channel. */
  #before(kind: EventKind, event: Fields, session: number | undefined): Fields | undefined {
    const call = numberIn(event, "call");
    if (kind === "call.start" && call !== undefined) {
      this.owners.onCallStart(call, textIn(event, "tenant"));
    } else if (kind === "session.start" && session !== undefined) {
      const { opening } = this.owners.onSessionStart(session, call);
      return opening && { agent: opening.agent, model: opening.model };
    } else if (kind === "turn.end") {
      return { ...resultFacts(event["result"]), reason: this.#endReason(event, session) };
    } else if (kind === "round.end" && session !== undefined) this.#sayUnstreamed(session, event);
    else if (kind === "approval.requested") return this.#question(event);
    else if (kind === "approval.answered") return this.#answer(event);
    return undefined;
  }

  #after(kind: EventKind, event: Fields, session: number | undefined): void {
    const call = numberIn(event, "call");
    if (kind === "call.end" && call !== undefined) this.owners.onCallEnd(call);
    if (session === undefined) return;
    if (kind === "turn.end") this.#streamed.delete(session);
    if (kind !== "session.end") return;
    this.#pieces.forget(session);
    this.#streamed.delete(session);
    this.owners.onSessionEnd(session);
    const sessionId = textIn(event, "sessionId");
    if (sessionId !== undefined && this.#numbers.get(sessionId) === session) {
      this.#numbers.delete(sessionId);
    }
  }

  /** Why a turn of a session of the API was cut off. */
  #endReason({ outcome }: Fields, session: number | undefined): string | undefined {
    if (!this.isDraining || outcome === "ok" || session === undefined) return undefined;
    return this.owners.ownerOf(session)?.opening === undefined ? undefined : "draining";
  }

  /** The number of the session that an event belongs to. */
  #sessionOf(event: Fields): number | undefined {
    const session = numberIn(event, "session");
    const sessionId = textIn(event, "sessionId");
    if (sessionId === undefined) return session;
    if (session === undefined) return this.#numbers.get(sessionId);
    this.#numbers.set(sessionId, session);
    this.owners.onSessionId(sessionId, this.owners.ownerOf(session)?.tenant);
    return session;
  }

  #onMessages(event: Fields): void {
    const { messages, at } = event;
    const session = numberIn(event, "session");
    if (session === undefined || !Array.isArray(messages)) return;
    const turn = textIn(event, "turn");
    if (turn !== undefined) this.meters.read(turn, messages as readonly Message[]);
    for (const message of messages) {
      const { type, event: streamed, parent_tool_use_id } = fieldsOf(message);
      if (type !== "stream_event" || typeof parent_tool_use_id === "string") continue;
      const { type: what, message: reply, delta } = fieldsOf(streamed);
      if (what === "message_start") this.#onReplyStart(session, fieldsOf(reply)["id"]);
      if (what !== "content_block_delta") continue;
      const { text, thinking } = fieldsOf(delta);
      if (typeof text !== "string" && typeof thinking !== "string") continue;
      this.#pieces.add({
        session,
        sessionId: textIn(event, "sessionId"),
        call: numberIn(event, "call"),
        turn,
        messageId: [...(this.#streamed.get(session) ?? [])].at(-1),
        at: typeof at === "number" ? at : Date.now(),
        text: typeof text === "string" ? text : "",
        thinking: typeof thinking === "string" ? thinking : "",
      });
    }
  }

  #onReplyStart(session: number, messageId: unknown): void {
    if (typeof messageId !== "string") return;
    const streamed = this.#streamed.get(session) ?? new Set();
    this.#streamed.set(session, streamed.add(messageId));
  }

  /** A session without partial messages has its text only at the end of a round. */
  #sayUnstreamed(session: number, event: Fields): void {
    const messageId = textIn(event, "messageId");
    const { content, parentToolUseId } = event;
    if (messageId !== undefined && this.#streamed.get(session)?.has(messageId) === true) return;
    if (parentToolUseId !== null || !Array.isArray(content)) return;
    const texts = content.map((block) => textIn(fieldsOf(block), "text") ?? "");
    const text = texts.join("");
    if (text !== "") this.#push("turn.text", { ...event, messageId, text });
  }

  #question(event: Fields): Fields {
    const { approval: id, kind, input } = event;
    const all = this.#options.approvals.flatMap((each) => each.pending());
    const approval = all.find((each) => each.id === id);
    const known = { approvalKind: kind, isAnswerable: approval !== undefined };
    if (approval === undefined) return { ...known, question: { input } };
    const { summary, askedAt, expiresAt } = approval;
    const parentToolUseId = textIn(fieldsOf(approval), "parentToolUseId");
    return { ...known, summary, askedAt, expiresAt, parentToolUseId, question: approval };
  }

  #answer({ approval: id, kind }: Fields): Fields {
    const all = this.#options.approvals.flatMap((each) => each.records());
    const record = all.findLast((each) => each.id === id);
    const { message } = fieldsOf(record?.decision);
    return { approvalKind: kind, edited: record?.edited, message };
  }

  #push(kind: EventKind, fields: Fields): void {
    const number = this.log.last + 1;
    const session = this.#sessionOf(fields);
    const sessionId = textIn(fields, "sessionId");
    const owner = session === undefined ? undefined : this.owners.ownerOf(session);
    const isApproval = kind.startsWith("approval.");
    const ofSession = isApproval ? this.owners.tenantOfId(sessionId) : owner?.tenant;
    const call = numberIn(fields, "call");
    const tenant =
      ofSession ?? textIn(fields, "tenant") ?? this.owners.tenantOfCall(call) ?? owner?.tenant;
    const isRequest = kind.startsWith("request.");
    const isOwn = isApproval || isRequest || (owner !== undefined && !owner.isInternal);
    const at = fields["at"];
    const names: EventNames = {
      id: this.log.idOf(number),
      at: typeof at === "number" ? at : Date.now(),
      tenant,
      call,
      session: session === undefined ? undefined : this.idOfSession(session),
      sessionId,
      turn: textIn(fields, "turn"),
    };
    const { mask } = this.#options;
    const event: NativeEvent = shapeEvent(kind, names, fields, mask);
    this.state.apply(event);
    const visibleTo = isOwn && tenant !== undefined ? tenant : undefined;
    this.failures.add(event, visibleTo);
    const json = JSON.stringify(event);
    const kept = event.cut === undefined ? 0 : sizeOf(fields, MOST_KEPT);
    this.log.append({
      number,
      kind,
      visibleTo,
      session: names.session,
      sessionId,
      json,
      whole:
        kept > 0 && kept < MOST_KEPT
          ? () => shapeEvent(kind, names, fields, mask, WIDE_LIMITS)
          : undefined,
      size: json.length + 200 + (kept < MOST_KEPT ? kept : 0),
    });
  }
}

type AnyChannel = EventChannel<unknown>;

/** An event whose values are larger than this is only kept as it was sent. */
const MOST_KEPT = 4 * 2 ** 20;

type ChannelName = keyof EventChannels;

/** The kind of the events of each channel. */
const KINDS: Readonly<Record<ChannelName, EventKind>> = {
  callStart: "call.start",
  callEnd: "call.end",
  callRetry: "call.retry",
  sessionStart: "session.start",
  sessionReady: "session.ready",
  sessionRecovered: "session.recovered",
  sessionMessages: "turn.text",
  sessionEnd: "session.end",
  turnStart: "turn.start",
  turnEnd: "turn.end",
  roundStart: "round.start",
  roundEnd: "round.end",
  apiRetry: "api.retry",
  toolStart: "tool.start",
  toolEnd: "tool.end",
  permissionAsked: "permission.asked",
  permissionDecided: "permission.decided",
  approvalRequested: "approval.requested",
  approvalAnswered: "approval.answered",
  processStart: "process.start",
  processReady: "process.ready",
  processAssigned: "process.assigned",
  processReset: "process.reset",
  processDiscarded: "process.discarded",
  admissionQueued: "admission.queued",
  admissionAdmitted: "admission.admitted",
  admissionRefused: "admission.refused",
  pauseStart: "pause.start",
};

function shownPiece(piece: TextPiece): Fields {
  const { text, thinking, ...names } = piece;
  return { ...names, ...(text !== "" && { text }), ...(thinking !== "" && { thinking }) };
}

function resultFacts(result: unknown): Fields {
  const { subtype, result: text } = fieldsOf(result);
  return { subtype: typeof subtype === "string" ? subtype : undefined, text };
}

function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}

function numberIn(fields: Fields, name: string): number | undefined {
  const value = fields[name];
  return typeof value === "number" ? value : undefined;
}

function textIn(fields: Fields, name: string): string | undefined {
  const value = fields[name];
  return typeof value === "string" ? value : undefined;
}
