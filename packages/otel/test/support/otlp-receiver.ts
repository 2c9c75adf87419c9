import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";

/** A receiver for OTLP over HTTP with JSON bodies. It keeps what it gets. */
export class OtlpReceiver {
  readonly #server: Server;
  readonly #bodies: { readonly path: string; readonly body: Body }[] = [];

  private constructor() {
    this.#server = createServer((request, response) => {
      const pieces: Buffer[] = [];
      request.on("data", (piece: Buffer) => pieces.push(piece));
      request.on("end", () => {
        const bytes = Buffer.concat(pieces);
        const isPacked = request.headers["content-encoding"] === "gzip";
        const text = (isPacked ? gunzipSync(bytes) : bytes).toString("utf8");
        this.#bodies.push({ path: request.url ?? "", body: JSON.parse(text) as Body });
        response.setHeader("content-type", "application/json");
        response.end("{}");
      });
    });
  }

  static async start(): Promise<OtlpReceiver> {
    const receiver = new OtlpReceiver();
    receiver.#server.listen(0, "127.0.0.1");
    await once(receiver.#server, "listening");
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get spans(): readonly ReceivedSpan[] {
    return this.#parts("traces")
      .flatMap(({ spans = [] }) => spans)
      .map(({ name, traceId, spanId, parentSpanId = "", kind, attributes }) => {
        return { name, traceId, spanId, parentSpanId, kind, attributes: valuesOf(attributes) };
      });
  }

  get metricNames(): readonly string[] {
    const names = this.#parts("metrics").flatMap(({ metrics = [] }) =>
      metrics.map(({ name }) => name),
    );
    return [...new Set(names)].sort();
  }

  scopes(signal: Signal): readonly unknown[] {
    return this.#parts(signal).map(({ scope: { name, version }, schemaUrl }) => {
      return { name, version, schemaUrl };
    });
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  #parts(signal: Signal): readonly ScopePart[] {
    return this.#bodies
      .filter(({ path }) => path === `/v1/${signal}`)
      .flatMap(({ body }) => [...(body.resourceSpans ?? []), ...(body.resourceMetrics ?? [])])
      .flatMap(({ scopeSpans = [], scopeMetrics = [] }) => [...scopeSpans, ...scopeMetrics]);
  }
}

type Signal = "traces" | "metrics";

export interface ReceivedSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly kind: number;
  readonly attributes: Readonly<Record<string, unknown>>;
}

interface Body {
  readonly resourceSpans?: readonly ResourcePart[];
  readonly resourceMetrics?: readonly ResourcePart[];
}

interface ResourcePart {
  readonly scopeSpans?: readonly ScopePart[];
  readonly scopeMetrics?: readonly ScopePart[];
}

interface ScopePart {
  readonly scope: { readonly name: string; readonly version: string };
  readonly schemaUrl: string;
  readonly spans?: readonly (Omit<ReceivedSpan, "attributes"> & {
    readonly attributes: readonly KeyValue[];
  })[];
  readonly metrics?: readonly { readonly name: string }[];
}

interface KeyValue {
  readonly key: string;
  readonly value: AnyValue;
}

interface AnyValue {
  readonly stringValue?: string;
  readonly boolValue?: boolean;
  readonly intValue?: number | string;
  readonly doubleValue?: number;
  readonly arrayValue?: { readonly values: readonly AnyValue[] };
}

function valuesOf(attributes: readonly KeyValue[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, plain(value)]));
}

function plain({ stringValue, boolValue, intValue, doubleValue, arrayValue }: AnyValue): unknown {
  if (arrayValue !== undefined) return arrayValue.values.map(plain);
  if (intValue !== undefined) return Number(intValue);
  return stringValue ?? boolValue ?? doubleValue;
}
