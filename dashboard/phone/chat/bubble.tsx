import { Ellipsis, Forward, Star } from "lucide-react";
import type { ShownMessage } from "test-network/phone/views.ts";
import { useTimes } from "../network/names.ts";
import { Ticks } from "../widgets/pieces.tsx";
import { usePhoneTexts } from "../texts/texts.ts";
import { Content, useSummary } from "./content.tsx";

export function Bubble({ phone, message, author, quoted, nameOf, onActions }: BubbleOf) {
  const w = usePhoneTexts();
  const { clock, full } = useTimes();
  const summary = useSummary();
  const { from_me: isOwn, timestamp, deleted, reactions } = message;
  return (
    <li
      data-message={message.message_id}
      className={`group flex max-w-[88%] items-start gap-1 ${isOwn ? "flex-row-reverse self-end" : "self-start"}`}
    >
      <div className="min-w-0">
        <div className={`rounded-lg border px-3 py-1.5 ${isOwn ? "border-accent/30 bg-own" : "border-line bg-surface"}`}>
          {author !== null && !isOwn && <p className="text-sm font-semibold text-info">{author}</p>}
          {message.forwarded && (
            <p className="flex items-center gap-1 text-sm text-soft italic">
              <Forward aria-hidden="true" className="size-3.5" />
              {w.thread.forwarded}
            </p>
          )}
          {quoted !== null && (
            <p className="my-1 truncate border-l-3 border-accent pl-2 text-sm text-soft">
              {quoted === "gone" ? w.thread.gone : `${nameOf(quoted.from)}: ${summary(quoted)}`}
            </p>
          )}
          {deleted ? <p className="text-soft italic">{w.thread.deleted}</p> : <Content phone={phone} message={message} nameOf={nameOf} />}
          <p className="mt-0.5 flex items-center justify-end gap-1 text-[0.75rem] text-soft">
            {message.starred && <Star aria-hidden="true" className="size-3.5" />}
            {message.edited && !deleted && <span>{w.thread.edited}</span>}
            <time title={full(timestamp)} className="tabular-nums">
              {clock(timestamp)}
            </time>
            {isOwn && <Ticks status={message.status} />}
          </p>
        </div>
        {reactions.length > 0 && (
          <ul className={`-mt-1 flex flex-wrap gap-1 ${isOwn ? "justify-end" : ""}`}>
            {reactions.map(({ from, reaction }) => (
              <li key={from} className="rounded-full border border-line bg-surface px-2 text-sm" title={nameOf(from)}>
                {reaction} <span className="sr-only">{nameOf(from)}</span>
              </li>
            ))}
          </ul>
        )}
      </div>
      {onActions !== null && !deleted && (
        <button
          type="button"
          aria-haspopup="dialog"
          aria-label={w.thread.actions(summary(message))}
          onClick={() => onActions(message)}
          className="inline-flex size-8 shrink-0 items-center justify-center rounded-full text-soft opacity-0 group-hover:opacity-100 hover:bg-surface focus-visible:opacity-100 pointer-coarse:size-11 pointer-coarse:opacity-100"
        >
          <Ellipsis aria-hidden="true" className="size-5" />
        </button>
      )}
    </li>
  );
}

type BubbleOf = {
  phone: string;
  message: ShownMessage;
  author: string | null;
  /** `gone` means that the quoted message is not on this phone. */
  quoted: ShownMessage | "gone" | null;
  nameOf: (digits: string) => string;
  onActions: ((message: ShownMessage) => void) | null;
};
