import { SendHorizontal, X } from "lucide-react";
import { type Dispatch, type RefObject, type SetStateAction, Suspense, useId, useState } from "react";
import type { Refused } from "../../api/refused.ts";
import { authorOf } from "../../domain/messages/author.ts";
import { isUncertain } from "../../domain/messages/outgoing.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { useTexts } from "../../texts/catalog.ts";
import { type Attaching, withFiles, withoutFile } from "./attaching.ts";
import { sendText } from "../chats/deliver-texts.ts";
import { changeDraft, discard, useDraft } from "../chats/drafts-store.ts";
import { Quote } from "../message-content/quote.tsx";
import type { Message } from "../chats/reads.ts";
import { CHATS } from "../../texts/catalogs.ts";
import { lazyPart } from "../../ui/loading/lazy-part.tsx";

const FormError = lazyPart(() => import("../../ui/forms/form-error.tsx").then(({ FormError: component }) => component));
const UncertainNotice = lazyPart(() => import("./uncertain.tsx").then(({ UncertainNotice: component }) => component));
const SendLater = lazyPart(() => import("../waiting/send-later.tsx").then(({ SendLater: component }) => component));
const Attach = lazyPart(() => import("./attach-menu.tsx").then(({ Attach: component }) => component));
const Emojis = lazyPart(() => import("./emojis.tsx").then(({ Emojis: component }) => component));
const Mentions = lazyPart(() => import("./mentions.tsx").then(({ Mentions: component }) => component));
const Voice = lazyPart(() => import("./voice.tsx").then(({ Voice: component }) => component));
const SendFiles = lazyPart(() => import("./send-files.tsx").then(({ SendFiles: component }) => component));
const Attachment = lazyPart(() => import("./attach.tsx").then(({ Attachment: component }) => component));

const MAX_CHARACTERS = 65_536;
/** `paused`: the number is offline, so messages can only wait. */
type ComposerProps = {
  id: string;
  chatId: string;
  field: RefObject<HTMLTextAreaElement | null>;
  paused: boolean;
  quoted: Message | null;
  onUnquote: () => void;
  attaching: Attaching | null;
  onAttach: Dispatch<SetStateAction<Attaching | null>>;
};

export function Composer({ id, chatId, field, paused, quoted, onUnquote, attaching, onAttach }: ComposerProps) {
  const texts = useTexts(CHATS);
  const formId = useId();
  const { text, mentioned, outgoing } = useDraft(id, chatId);
  const setText = (next: (now: string) => string) => changeDraft(id, chatId, (now) => ({ text: next(now.text) }));
  const [recording, setRecording] = useState(false);
  const [refused, setRefused] = useState<Refused | null>(null);
  const target = { id, chatId, quotedId: quoted?.message_id ?? null };
  // Counts code points, as the network does.
  const used = text.length > MAX_CHARACTERS / 2 ? [...text.trim()].length : text.length;
  const uncertain = outgoing.filter(isUncertain);
  const hasText = text.trim() !== "";
  const isTooLong = used > MAX_CHARACTERS;

  const submit = () => {
    if (paused || !hasText || isTooLong) return;
    setRefused(null);
    sendText(id, chatId, text.trim(), quoted === null ? null : quoteOf(quoted));
    onUnquote();
    field.current?.focus();
  };
  return (
    <div className="flex max-h-[65%] shrink-0 flex-col gap-2 overflow-y-auto border-t border-line bg-surface px-2 pt-2 pb-[max(0.5rem,env(safe-area-inset-bottom))]">
      {uncertain.length > 0 && (
        // Scrolls by itself, so that the field stays in sight.
        <div className="grid min-h-24 gap-2 overflow-y-auto">
          <Suspense>
            {uncertain.map((each) => (
              <UncertainNotice
                key={each.message_id}
                id={id}
                uncertain={each}
                onPutBack={(change) => {
                  setText(change);
                  discard(id, chatId, each);
                  field.current?.focus();
                }}
                onDismiss={() => discard(id, chatId, each)}
              />
            ))}
          </Suspense>
        </div>
      )}
      {refused !== null && (
        <Suspense>
          <FormError refused={refused} />
        </Suspense>
      )}
      {quoted !== null && (
        <div className="flex items-center gap-2">
          <div className="min-w-0 grow">
            <span className="text-sm text-soft">
              {texts.replying}
              {!quoted.from_me && !chatId.endsWith("@g.us") && <span className="private"> {authorOf(quoted, texts.hidden)}</span>}
            </span>
            <Quote id={id} chatId={chatId} quoted={quoted} />
          </div>
          <IconButton label={texts.cancelReply} icon={X} onClick={onUnquote} />
        </div>
      )}
      {chatId.endsWith("@g.us") && text.includes("@") && (
        <Suspense>
          <Mentions id={id} chatId={chatId} field={field} text={text} />
        </Suspense>
      )}
      <div className="flex min-w-0 items-end gap-1">
        {/* The clock button is outside the form, because its dialog has a form of its own. */}
        <form
          id={formId}
          className="flex min-w-0 grow flex-wrap items-end gap-1"
          onSubmit={(event) => {
            event.preventDefault();
            submit();
          }}
        >
          {!recording && (
            <Suspense fallback={<span className="w-11 shrink-0 pointer-fine:w-9" />}>
              <Attach id={id} offline={paused} onChoose={onAttach} />
            </Suspense>
          )}
          {!recording && matchMedia("(pointer: fine)").matches && (
            <Suspense fallback={<span className="w-11 shrink-0 pointer-fine:w-9" />}>
              <Emojis field={field} />
            </Suspense>
          )}
          <textarea
            ref={field}
            dir="auto"
            aria-label={texts.write}
            aria-describedby="send-hint"
            aria-invalid={isTooLong || undefined}
            placeholder={texts.write}
            rows={1}
            value={text}
            onChange={({ currentTarget: { value } }) => setText(() => value)}
            onPaste={(event) => {
              const files = [...event.clipboardData.files];
              // A copied table is pasted as text, although the clipboard also contains a picture of it.
              if (files.length === 0 || event.clipboardData.types.includes("text/plain")) return;
              event.preventDefault();
              onAttach((before) => withFiles(before, files));
            }}
            onKeyDown={(event) => {
              if (event.key === "Escape" && !event.nativeEvent.isComposing) onUnquote();
              if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
              // On-screen keyboards have no Shift+Enter, so Enter inserts a line break.
              if (matchMedia("(pointer: coarse)").matches) return;
              event.preventDefault();
              submit();
            }}
            hidden={recording}
            className="private field-sizing-content max-h-[min(10rem,30dvh)] min-h-11 min-w-0 grow basis-0 resize-none rounded-md border border-edge bg-surface px-3 py-2.5 text-ink placeholder:text-soft aria-invalid:border-bad pointer-fine:min-h-9 pointer-fine:py-1.5"
          />
          <Suspense fallback={!hasText && <span className="w-11 pointer-fine:w-9" />}>
            <Voice target={target} isAside={hasText} onRecording={setRecording} onSent={onUnquote} />
          </Suspense>
        </form>
        {hasText && !recording && !isTooLong && (
          <Suspense fallback={<span className="w-11 shrink-0 pointer-fine:w-9" />}>
            <SendLater
              id={id}
              chatId={chatId}
              text={text}
              mentioned={mentioned}
              quotedId={quoted?.message_id ?? null}
              offline={paused}
              onAccepted={(change) => {
                setText(change);
                onUnquote();
                field.current?.focus();
              }}
              onRefused={setRefused}
            />
          </Suspense>
        )}
        {hasText && !recording && (
          <Button
            type="submit"
            form={formId}
            kind="primary"
            icon={SendHorizontal}
            why={isTooLong ? texts.tooLong(used, MAX_CHARACTERS) : paused ? texts.offlineText : undefined}
            className="w-11 shrink-0 !px-0 pointer-fine:w-9"
          >
            <span className="sr-only">{texts.send}</span>
          </Button>
        )}
      </div>
      <p id="send-hint" className={isTooLong ? "text-sm font-semibold text-bad" : "sr-only"}>
        {isTooLong ? texts.tooLong(used, MAX_CHARACTERS) : texts.sendHint}
      </p>
      <Suspense>
        {attaching !== null &&
          ("files" in attaching ? (
            <SendFiles
              {...attaching}
              target={target}
              offline={paused}
              onGone={(file) => onAttach((now) => withoutFile(now, file))}
              onClose={() => onAttach(null)}
              onSent={onUnquote}
            />
          ) : (
            <Attachment {...attaching} target={target} text={text.trim()} onClose={() => onAttach(null)} onSent={onUnquote} />
          ))}
      </Suspense>
    </div>
  );
}

const quoteOf = ({ message_id, from_me, text, type }: Message) => ({ message_id, from_me, text, type });
