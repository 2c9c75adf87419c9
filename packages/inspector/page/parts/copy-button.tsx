import type { ComponentChildren, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";

/** Copies a text. If the browser does not allow that, it shows the text, so that a person can copy it by hand. */
export function CopyButton({
  text,
  children,
}: {
  readonly text: string;
  readonly children: ComponentChildren;
}): JSX.Element {
  const [result, setResult] = useState<"copied" | "failed">();
  useEffect(() => {
    if (result !== "copied") return;
    const timer = setTimeout(() => setResult(undefined), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [result]);
  const copy = () => {
    writeText(text).then(
      () => setResult("copied"),
      () => setResult("failed"),
    );
  };
  return (
    <>
      <button type="button" onClick={copy}>
        {result === "copied" ? "Copied" : children}
      </button>
      {result === "failed" && (
        <label class="copy-by-hand">
          <span class="label" role="alert">
            The browser did not copy it. Copy this:
          </span>
          <input
            type="text"
            class="code"
            readOnly
            value={text}
            ref={(field) => field?.select()}
            onFocus={(event) => event.currentTarget.select()}
          />
        </label>
      )}
    </>
  );
}

const SHOWN_MS = 2_000;

/** Browsers have a clipboard only for pages of this machine or with TLS. */
async function writeText(text: string): Promise<void> {
  await navigator.clipboard.writeText(text);
}
