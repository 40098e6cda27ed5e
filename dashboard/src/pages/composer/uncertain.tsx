// A send with an unknown outcome. It is repeated only if the user decides to.
import { useState } from "react";
import { api } from "../../api/client.ts";
import { Refused } from "../../api/refused.ts";
import { type Outgoing, storedIdOf } from "../../domain/messages/outgoing.ts";
import { outcomeOf, putBack } from "../../domain/sends.ts";
import { CHATS } from "../../texts/catalogs.ts";
import { useTexts } from "../../texts/catalog.ts";
import { Button } from "../../ui/button.tsx";
import { FormError } from "../../ui/forms/form-error.tsx";

type NoticeProps = { id: string; uncertain: Outgoing; onPutBack: (change: (now: string) => string) => void; onDismiss: () => void };

export function UncertainNotice({ id, uncertain, onPutBack, onDismiss }: NoticeProps) {
  const { text } = uncertain;
  const message_id = storedIdOf(uncertain);
  const texts = useTexts(CHATS);
  const [outcome, setOutcome] = useState<"sent" | "failed" | "unknown" | null>(null);
  const [busy, setBusy] = useState(false);
  const [refused, setRefused] = useState<Refused | null>(null);
  const check = async () => {
    setBusy(true);
    setRefused(null);
    try {
      const { data } = await api("GET /connections/{id}/messages/{message_id}", { id, message_id });
      setOutcome(outcomeOf(data.status) ?? "unknown");
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      if (error.code === "message_not_found") setOutcome("unknown");
      else setRefused(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <section aria-label={texts.uncertain} className="grid gap-2 rounded-md border border-attention px-3 py-2">
      <p className="font-semibold text-attention" role="alert">
        {texts.uncertain}
      </p>
      <p>{texts.uncertainText}</p>
      {text !== "" && <p className="private line-clamp-3 border-l-2 border-edge pl-2 break-words whitespace-pre-wrap">{text}</p>}
      <p role="status" className="font-semibold empty:hidden">
        {outcome === null ? "" : texts.outcome[outcome]}
      </p>
      <FormError refused={refused} />
      <div className="flex flex-wrap gap-2">
        {outcome !== "sent" && (
          <Button kind="primary" busy={busy} onClick={() => void check()}>
            {texts.check}
          </Button>
        )}
        {text !== "" && outcome !== "sent" && <Button onClick={() => onPutBack((now) => putBack(text, now))}>{texts.putBack}</Button>}
        <Button kind="quiet" onClick={onDismiss}>
          {texts.dismiss}
        </Button>
      </div>
    </section>
  );
}
