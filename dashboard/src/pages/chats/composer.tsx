import { Braces, FileText, Image, ListChecks, MapPin, Paperclip, SendHorizontal, X } from "lucide-react";
import { type ChangeEvent, lazy, Suspense, useRef, useState } from "react";
import { Refused } from "../../api/refused.ts";
import { kindOfFile, leftToSend, putBack } from "../../domain/chats.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { FormError } from "../../ui/forms/form-error.tsx";
import { Menu } from "../../ui/menu.tsx";
import { toast } from "../../ui/toast.tsx";
import { useTexts } from "../../texts/catalog.ts";
import { useUnsent } from "./unsent.ts";
import { Quote } from "./message.tsx";
import { type Message, useMissingFeatures } from "./reads.ts";
import { messageIdIn, type Sending, useSend } from "./send.ts";
import { CHATS } from "../../texts/catalogs.ts";

const UncertainNotice = lazy(() => import("./uncertain.tsx").then(({ UncertainNotice: component }) => ({ default: component })));
const Voice = lazy(() => import("./voice.tsx").then(({ Voice: component }) => ({ default: component })));
const SendFile = lazy(() => import("./attach.tsx").then(({ SendFile: component }) => ({ default: component })));
const SendCall = lazy(() => import("./attach.tsx").then(({ SendCall: component }) => ({ default: component })));
const SendPlace = lazy(() => import("./attach.tsx").then(({ SendPlace: component }) => ({ default: component })));
const SendPoll = lazy(() => import("./attach.tsx").then(({ SendPoll: component }) => ({ default: component })));

const MAX_CHARACTERS = 65_536;
const MAX_BYTES = 26_214_400;

/** `paused`: sending is disabled, but the text is kept. `dropped`: files to send, one after another. */
type ComposerProps = {
  id: string;
  chatId: string;
  paused: boolean;
  quoted: Message | null;
  onUnquote: () => void;
  dropped: readonly File[];
  onFiles: (change: (before: readonly File[]) => readonly File[]) => void;
};
type Attaching = { kind: "location" | "poll" | "call" } | { kind: "image" | "video" | "document"; file: File };

export function Composer({ id, chatId, paused, quoted, onUnquote, dropped, onFiles }: ComposerProps) {
  const texts = useTexts(CHATS);
  const field = useRef<HTMLTextAreaElement>(null);
  const { text, busy, change } = useUnsent(id, chatId);
  const setText = (next: (now: string) => string) => change((now) => ({ text: next(now.text) }));
  const setBusy = (is: boolean) => change(() => ({ busy: is }));
  const [recording, setRecording] = useState(false);
  const [refused, setRefused] = useState<Refused | null>(null);
  const [chosen, setAttaching] = useState<Attaching | null>(null);
  const [file] = dropped;
  const attaching = chosen ?? (file === undefined || paused ? null : { kind: kindOfFile(file.type), file });
  const { send, sendFile, uncertain, settle } = useSend(id, chatId, quoted?.message_id ?? null);
  // Counts code points, as the network does.
  const used = text.length > MAX_CHARACTERS / 2 ? [...text.trim()].length : text.length;
  const hasText = text.trim() !== "";
  const isTooLong = used > MAX_CHARACTERS;

  const sendText = async () => {
    const written = text.trim();
    if (busy || paused || written === "" || isTooLong) return;
    setBusy(true);
    setRefused(null);
    try {
      await send({ kind: "text", text: written });
      // Keeps the text typed while the message was being sent.
      setText((now) => leftToSend(now, text));
      onUnquote();
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      if (messageIdIn(error) === null) setRefused(error);
    } finally {
      setBusy(false);
      field.current?.focus();
    }
  };
  const close = () => {
    setAttaching(null);
    if (chosen === null) onFiles((before) => before.slice(1));
  };
  const sendAttached = async (sending: Sending) => {
    await send(sending);
    onUnquote();
  };

  return (
    <div className="grid max-h-[65%] shrink-0 gap-2 overflow-y-auto border-t border-line bg-surface px-2 pt-2 pb-[max(0.5rem,env(safe-area-inset-bottom))]">
      <Suspense>
        {uncertain.map((each) => (
          <UncertainNotice
            key={each.messageId ?? each.text}
            id={id}
            uncertain={each}
            onPutBack={() => {
              setText((now) => putBack(each.text, now));
              settle(each);
              field.current?.focus();
            }}
            onDismiss={() => settle(each)}
          />
        ))}
      </Suspense>
      <FormError refused={refused} />
      {(refused?.code === "new_chat_refused" || refused?.code === "temporarily_blocked") && (
        <p className="font-semibold">{texts.dontInsist}</p>
      )}
      {quoted !== null && (
        <div className="flex items-center gap-2">
          <div className="min-w-0 grow">
            <span className="text-sm text-soft">{texts.replying}</span>
            <Quote text={quoted.text} type={quoted.type} own={quoted.from_me} />
          </div>
          <IconButton label={texts.cancelReply} icon={X} onClick={onUnquote} />
        </div>
      )}
      <form
        className="flex min-w-0 items-end gap-1"
        onSubmit={(event) => {
          event.preventDefault();
          void sendText();
        }}
      >
        {!recording && <Attach id={id} onChoose={setAttaching} />}
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
            const files = sendable([...event.clipboardData.files], texts.tooLarge);
            // A copied table is pasted as text, although the clipboard also contains a picture of it.
            if (files.length === 0 || event.clipboardData.types.includes("text/plain")) return;
            event.preventDefault();
            onFiles((before) => [...before, ...files]);
          }}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
            event.preventDefault();
            void sendText();
          }}
          hidden={recording}
          className="private field-sizing-content max-h-[min(10rem,30dvh)] min-h-11 min-w-0 grow resize-none rounded-md border border-edge bg-surface px-3 py-2.5 text-ink placeholder:text-soft aria-invalid:border-bad pointer-fine:min-h-9 pointer-fine:py-1.5"
        />
        <Suspense fallback={!hasText && <span className="w-11 pointer-fine:w-9" />}>
          <Voice
            isAside={hasText}
            onRecording={setRecording}
            onRecorded={async (file) => sendFile(file, (media) => ({ kind: "voice", media }))}
          />
        </Suspense>
        {hasText && !recording && (
          <Button
            type="submit"
            kind="primary"
            icon={SendHorizontal}
            busy={busy}
            why={isTooLong ? texts.tooLong(used, MAX_CHARACTERS) : paused ? texts.readOnlyOffline : undefined}
            className="w-11 shrink-0 !px-0 pointer-fine:w-9"
          >
            <span className="sr-only">{texts.send}</span>
          </Button>
        )}
      </form>
      <p id="send-hint" className={isTooLong ? "text-sm font-semibold text-bad" : "sr-only"}>
        {isTooLong ? texts.tooLong(used, MAX_CHARACTERS) : texts.sendHint}
      </p>
      <Suspense>
        {attaching?.kind === "call" && <SendCall chatId={chatId} text={text.trim()} quoted={quoted} onClose={close} />}
        {attaching?.kind === "location" && <SendPlace onClose={close} onSend={sendAttached} />}
        {attaching?.kind === "poll" && <SendPoll onClose={close} onSend={sendAttached} />}
        {attaching !== null && "file" in attaching && (
          <SendFile
            key={`${attaching.file.name} ${attaching.file.lastModified} ${dropped.length}`}
            file={attaching.file}
            kind={attaching.kind}
            onClose={close}
            onSend={async (caption) => {
              await sendFile(attaching.file, (media) => ({ kind: attaching.kind, media, ...(caption === "" ? {} : { caption }) }));
              onUnquote();
            }}
          />
        )}
      </Suspense>
    </div>
  );
}

export function sendable(files: readonly File[], tooLarge: string): File[] {
  const small = files.filter(({ size }) => size <= MAX_BYTES);
  if (small.length < files.length) toast(tooLarge, { kind: "bad" });
  return small;
}

function Attach({ id, onChoose }: { id: string; onChoose: (attaching: Attaching) => void }) {
  const texts = useTexts(CHATS);
  const missing = useMissingFeatures(id);
  const pictures = useRef<HTMLInputElement>(null);
  const documents = useRef<HTMLInputElement>(null);
  const take = (event: ChangeEvent<HTMLInputElement>, kindOf: (file: File) => "image" | "video" | "document") => {
    const [file] = sendable([...(event.currentTarget.files ?? [])], texts.tooLarge);
    event.currentTarget.value = "";
    if (file !== undefined) onChoose({ kind: kindOf(file), file });
  };
  return (
    <>
      <Menu
        label={<Paperclip size={18} aria-hidden />}
        name={texts.attach}
        kind="quiet"
        bare
        className="w-11 shrink-0 !px-0 pointer-fine:w-9"
        items={[
          { label: texts.attachImage, icon: Image, onSelect: () => pictures.current?.click() },
          { label: texts.attachDocument, icon: FileText, onSelect: () => documents.current?.click() },
          { label: texts.attachLocation, icon: MapPin, onSelect: () => onChoose({ kind: "location" }) },
          ...(missing.includes("poll") ? [] : [{ label: texts.attachPoll, icon: ListChecks, onSelect: () => onChoose({ kind: "poll" }) }]),
          { label: texts.call, icon: Braces, onSelect: () => onChoose({ kind: "call" }) },
        ]}
      />
      <input
        ref={pictures}
        type="file"
        hidden
        aria-label={texts.attachImage}
        accept="image/jpeg,image/png,image/webp,video/*"
        onChange={(event) => take(event, ({ type }) => (type.startsWith("video/") ? "video" : "image"))}
      />
      <input ref={documents} type="file" hidden aria-label={texts.attachDocument} onChange={(event) => take(event, () => "document")} />
    </>
  );
}
