// Waiting messages of a chat, shown below the others.
import { Clock3 } from "lucide-react";
import { typeName } from "../../domain/chats.ts";
import { CHATS } from "../../texts/catalogs.ts";
import { useTexts } from "../../texts/catalog.ts";
import { useLanguage } from "../../texts/language.ts";
import { CancelAll, WaitingActions } from "./waiting-actions.tsx";
import { useWaitingIn, type WaitingSend } from "./waiting-reads.ts";
import { shownTime } from "./shown-time.ts";

type BubblesProps = { id: string; chatId: string; mayChange: boolean };

export function WaitingBubbles({ id, chatId, mayChange }: BubblesProps) {
  const texts = useTexts(CHATS).later;
  const { sends } = useWaitingIn(id, chatId);
  if (sends.length === 0) return null;
  return (
    <section aria-label={texts.title} className="grid grid-cols-[minmax(0,1fr)] gap-1.5">
      <div className="my-1 flex flex-wrap items-center justify-center gap-x-2">
        <p className="rounded-full bg-tint px-3 py-0.5 text-sm text-soft">{texts.title}</p>
        {mayChange && <CancelAll id={id} chatId={chatId} count={sends.length} />}
      </div>
      {sends.map((send) => (
        <article
          key={send.message_id}
          aria-label={texts.one}
          className="flex max-w-[85%] min-w-0 flex-row-reverse items-start gap-1 justify-self-end"
        >
          <div className="grid min-w-0 gap-1 rounded-lg rounded-br-md border border-dashed border-edge px-3 py-1.5">
            <Waiting send={send} />
          </div>
          {mayChange && <WaitingActions id={id} send={send} />}
        </article>
      ))}
    </section>
  );
}

/** Shows a waiting message's content, and when it will be sent. */
export function Waiting({ send: { type, text, at, until, waits_for } }: { send: WaitingSend }) {
  const texts = useTexts(CHATS);
  const language = useLanguage();
  const when = shownTime(Date.parse(waits_for === "time" ? at : until), language);
  return (
    <>
      {type !== "text" && <p className="text-soft">{typeName(texts.types, type)}</p>}
      {text !== null && (
        <p dir="auto" className="private break-words whitespace-pre-wrap">
          {text}
        </p>
      )}
      <p className="flex items-center gap-1.5 text-sm text-soft">
        <Clock3 size={14} aria-hidden className="shrink-0" />
        {texts.later.waits[waits_for](when)}
      </p>
    </>
  );
}
