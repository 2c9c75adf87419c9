import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Key, useFocus } from "../../parts/small-parts.js";

/** Denies with a reason, which the model reads. */
export function DenyForm({
  isBusy,
  onDeny,
  onCancel,
}: {
  readonly isBusy: boolean;
  readonly onDeny: (message: string, interrupt: boolean) => void;
  readonly onCancel: () => void;
}): JSX.Element {
  const [message, setMessage] = useState("");
  const [interrupt, setInterrupt] = useState(false);
  const field = useFocus<HTMLInputElement>();
  return (
    <form
      class="card-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isBusy) onDeny(message.trim(), interrupt);
      }}
      onKeyDown={(event) => {
        if (event.key === "Escape") onCancel();
      }}
    >
      <label>
        <span class="label">Reason for the model (can be empty)</span>
        <input
          ref={field}
          type="text"
          value={message}
          onInput={(event) => setMessage(event.currentTarget.value)}
        />
      </label>
      <label class="check">
        <input
          type="checkbox"
          checked={interrupt}
          onChange={(event) => setInterrupt(event.currentTarget.checked)}
        />
        Also stop the turn
      </label>
      <div class="actions">
        <button type="submit" class="danger" disabled={isBusy}>
          Deny <Key name="↵" />
        </button>
        <button type="button" onClick={onCancel}>
          Cancel <Key name="Esc" />
        </button>
      </div>
    </form>
  );
}
