import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Key } from "../../parts/small-parts.js";

/** Sends a prompt to a session. While a turn runs, the prompt waits for it. */
export function SendForm({
  isBusy,
  onSend,
}: {
  readonly isBusy: boolean;
  /** Resolves to false if the prompt was not taken; it then stays in the field. */
  readonly onSend: (prompt: string) => Promise<boolean>;
}): JSX.Element {
  const [prompt, setPrompt] = useState("");
  const send = async () => {
    if (prompt.trim() === "" || isBusy) return;
    if (await onSend(prompt)) setPrompt("");
  };
  return (
    <form
      class="send-form"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
      onKeyDown={(event) => {
        if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void send();
      }}
    >
      <label>
        <span class="label">Prompt</span>
        <textarea
          rows={2}
          value={prompt}
          onInput={(event) => setPrompt(event.currentTarget.value)}
        />
      </label>
      <button type="submit" disabled={isBusy || prompt.trim() === ""}>
        Send <Key name="Ctrl ↵" />
      </button>
    </form>
  );
}
