import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createUrlFetcher, type UrlFetcherOptions } from "../../src/http/fetch-url.js";
import { isPublicAddress } from "../../src/http/public-address.js";
import { type FetchLimits, UrlFiles } from "../../src/http/url-files.js";

const PNG = Buffer.from("png");

const handler: RequestListener = ({ url = "" }, response) => {
  if (url === "/a.png") response.writeHead(200, { "content-type": "image/png" }).end(PNG);
  else if (url === "/paper") {
    response.writeHead(200, { "content-type": "application/pdf; v=1" }).end("pdf");
  } else if (url === "/text") response.writeHead(200, { "content-type": "text/html" }).end("<p>");
  else if (url === "/large") {
    response.writeHead(200, { "content-type": "image/png" });
    response.write(Buffer.alloc(600));
    response.end(Buffer.alloc(600));
  } else if (url === "/declared") {
    response.writeHead(200, { "content-type": "image/png", "content-length": "999999" });
    response.write("x");
  } else if (url === "/slow") response.writeHead(200, { "content-type": "image/png" }).write("x");
  else if (url === "/away") response.writeHead(302, { location: "http://10.0.0.1/a.png" }).end();
  else if (url === "/file") response.writeHead(302, { location: "file:///etc/passwd" }).end();
  else if (url === "/again") response.writeHead(307, { location: "/a.png" }).end();
  else if (url === "/upgrade") {
    response.socket?.end("HTTP/1.1 101 Go on\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n");
  } else if (url === "/loop") response.writeHead(302, { location: "/loop" }).end();
  else response.writeHead(404).end();
};

const server = createServer(handler);
let base = "";
beforeAll(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  base = `http://files.test:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

const LOOPBACK: UrlFetcherOptions = {
  lookup: async () => [{ address: "127.0.0.1", family: 4 }],
  allows: (address) => address === "127.0.0.1",
  maxBytes: 1_000,
};

const refusal = (text: string) =>
  expect.objectContaining({
    code: "invalid_request",
    param: "messages[0]",
    message: expect.stringContaining(text),
  });

describe("createUrlFetcher()", () => {
  const fetchUrl = createUrlFetcher(LOOPBACK);

  it("fetches an image and a document, also after a redirect", async () => {
    const image = { mediaType: "image/png", data: PNG.toString("base64") };
    expect(await fetchUrl(`${base}/a.png`, "image", "messages[0]")).toEqual(image);
    expect(await fetchUrl(`${base}/again`, "image", "messages[0]")).toEqual(image);
    expect(await fetchUrl(`${base}/paper`, "document", "messages[0]")).toMatchObject({
      mediaType: "application/pdf",
    });
  });

  it.each([
    { path: "/text", text: "text/html" },
    { path: "/paper", text: "application/pdf" },
    { path: "/large", text: "larger than 1000 bytes" },
    { path: "/declared", text: "larger than 1000 bytes" },
    { path: "/missing", text: "404" },
    { path: "/away", text: "public internet" },
    { path: "/file", text: "http and https" },
    { path: "/loop", text: "too often" },
    { path: "/upgrade", text: "could not be fetched" },
  ])("refuses $path: $text", async ({ path, text }) => {
    await expect(fetchUrl(`${base}${path}`, "image", "messages[0]")).rejects.toEqual(refusal(text));
  });

  it("refuses a server that does not finish in time", async () => {
    const hasty = createUrlFetcher({ ...LOOPBACK, timeoutMs: 100 });
    await expect(hasty(`${base}/slow`, "image", "messages[0]")).rejects.toEqual(refusal("in time"));
  });

  it.each([
    "http://127.0.0.1/",
    "http://localhost/",
    "http://0x7f.1/",
    "http://2130706433/",
    "http://[::1]/",
    "http://[::ffff:127.0.0.1]/",
    "http://169.254.169.254/latest/meta-data",
    "http://user:secret@93.184.216.34/",
    "ftp://93.184.216.34/",
    "file:///etc/passwd",
    "data:image/png;base64,AAAA",
    "not a url",
  ])("refuses %s without a connection", async (url) => {
    const real = createUrlFetcher({
      lookup: async () => [{ address: "127.0.0.1", family: 4 }],
    });
    await expect(real(url, "image", "messages[0]")).rejects.toEqual(refusal(""));
  });

  it("refuses a name if one of its addresses is private", async () => {
    const mixed = createUrlFetcher({
      lookup: async () => [
        { address: "93.184.216.34", family: 4 },
        { address: "fd00::1", family: 6 },
      ],
    });
    await expect(mixed("http://two.test/", "image", "messages[0]")).rejects.toEqual(
      refusal("public internet"),
    );
  });

  it("resolves a name once, so that a second answer of the DNS has no effect", async () => {
    let lookups = 0;
    const once = createUrlFetcher({
      ...LOOPBACK,
      lookup: async () => {
        lookups += 1;
        return [{ address: lookups === 1 ? "127.0.0.1" : "10.0.0.1", family: 4 }];
      },
    });
    await once(`${base}/a.png`, "image", "messages[0]");
    expect(lookups).toBe(1);
  });

  it("refuses a name whose name server does not answer in time", async () => {
    const never = createUrlFetcher({
      ...LOOPBACK,
      timeoutMs: 50,
      lookup: () => new Promise(() => {}),
    });
    const fetched = never("http://silent.test/", "image", "messages[0]");
    await expect(fetched).rejects.toEqual(refusal("in time"));
  });

  it("tells nothing about the network in its error", async () => {
    const closed = createUrlFetcher(LOOPBACK);
    const failed = closed("http://files.test:1/", "image", "messages[0]");
    await expect(failed).rejects.toMatchObject({
      message: "`messages[0]`: the URL could not be fetched.",
    });
  });
});

describe("isPublicAddress()", () => {
  it.each([
    "0.0.0.0",
    "10.1.2.3",
    "100.64.0.1",
    "127.8.8.8",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "198.18.0.1",
    "224.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::ffff:8.8.8.8",
    "::ffff:10.0.0.1",
    "::8.8.8.8",
    "64:ff9b::10.0.0.1",
    "fc00::1",
    "fd12::1",
    "fe80::1",
    "fec0::1",
    "ff02::1",
    "2001::1",
    "2001:db8::1",
    "2002:7f00:1::",
    "not an address",
    "",
  ])("is false for %s", (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  it.each(["8.8.8.8", "93.184.216.34", "172.32.0.1", "2606:4700::1111", "2a00:1450:4001::200e"])(
    "is true for %s",
    (address) => {
      expect(isPublicAddress(address)).toBe(true);
    },
  );
});

describe("UrlFiles", () => {
  const fetchUrl = createUrlFetcher(LOOPBACK);
  const limits: FetchLimits = { maxFiles: 9, maxLength: 1000, timeoutMs: 10_000 };
  const files = (given: Partial<FetchLimits> = {}, client = new AbortController().signal) =>
    new UrlFiles(fetchUrl, client, { ...limits, ...given });
  const name = (into: UrlFiles, path: string) =>
    into.source(`${base}${path}`, "image", "messages[0]");

  it("fills in the sources when they are fetched, and not before", async () => {
    const named = files();
    const source = name(named, "/a.png");
    expect(source).toEqual({ type: "base64", media_type: "", data: "" });
    await named.fetchAll();
    const data = PNG.toString("base64");
    expect(source).toEqual({ type: "base64", media_type: "image/png", data });
    expect(named.dataUrl(`${base}/a.png`)).toBe(`data:image/png;base64,${data}`);
    expect(named.dataUrl(`${base}/b.png`)).toBeUndefined();
  });

  it("limits the number of URLs in a request before any is fetched", () => {
    const named = files({ maxFiles: 2 });
    name(named, "/a.png");
    name(named, "/a.png");
    expect(() => name(named, "/a.png")).toThrow("2 URLs at most");
  });

  it("limits what the URLs of a request hold together", async () => {
    const named = files({ maxLength: 7 });
    name(named, "/a.png");
    name(named, "/a.png");
    await expect(named.fetchAll()).rejects.toEqual(refusal("too large"));
  });

  it("limits the time of all URLs together", async () => {
    const named = files({ timeoutMs: 100 });
    name(named, "/slow");
    await expect(named.fetchAll()).rejects.toEqual(refusal("in time"));
  });

  it("ends with `aborted` when the client is gone, and fetches nothing more", async () => {
    const client = new AbortController();
    const named = files({}, client.signal);
    name(named, "/slow");
    const fetched = named.fetchAll();
    setTimeout(() => client.abort(), 20);
    await expect(fetched).rejects.toMatchObject({ code: "aborted" });
    await expect(named.fetchAll()).rejects.toMatchObject({ code: "aborted" });
  });
});
