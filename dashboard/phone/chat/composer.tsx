import { Mic, Paperclip, SendHorizontal, X } from "lucide-react";
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import type { PhoneView, ShownMessage } from "test-network/phone/views.ts";
import { change } from "../network/control.ts";
import { pictureIn } from "../network/read-qr.ts";
import { useAction } from "../network/action.ts";
import { IconButton } from "../../src/ui/button.tsx";
import { Sheet } from "../widgets/sheet.tsx";
import { usePhoneTexts } from "../texts/texts.ts";
import { useSummary } from "./content.tsx";
import { Recorder } from "./recorder.tsx";

export type Intent = { kind: "reply" | "edit"; message: ShownMessage };

/** Typing is announced at most this often, and ends this long after the last keystroke. */
const TYPING_MS = 4_000;

type ComposerOf = {
  view: PhoneView;
  chatId: string;
  intent: Intent | null;
  onIntentDone: () => void;
  onFile: (file: File) => void;
  nameOf: (digits: string) => string;
};

export function Composer({ view, chatId, intent, onIntentDone, onFile, nameOf }: ComposerOf) {
  const { phone, options } = view;
  const w = usePhoneTexts();
  const act = useAction();
  const summary = useSummary();
  const field = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useState(intent?.kind === "edit" ? (intent.message.text ?? "") : "");
  const [open, setOpen] = useState<"attach" | "record" | null>(null);
  const typing = useTyping(phone, chatId, options.online);
  useEffect(() => {
    if (intent !== null) field.current?.focus();
  }, [intent]);
  const send = async (): Promise<void> => {
    const said = text.trim();
    if (said === "") return;
    setText("");
    typing.stop();
    const sent = await act(() =>
      intent?.kind === "edit"
        ? change(phone, "POST", "/edit", { chat_id: chatId, message_id: intent.message.message_id, text: said })
        : change(phone, "POST", "/send", { chat_id: chatId, text: said, ...(intent && { quoted_id: intent.message.message_id }) }),
    );
    if (sent === undefined) setText((now) => (now === "" ? said : now));
    else if (intent !== null) onIntentDone();
  };
  const keys = (event: KeyboardEvent): void => {
    if (event.key === "Escape" && intent !== null) onIntentDone();
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    void send();
  };
  if (open === "record") return <Recorder phone={phone} chatId={chatId} onDone={() => setOpen(null)} />;
  return (
    <div className="border-t border-line bg-surface px-2 py-1.5">
      {intent !== null && (
        <div className="mb-1 flex items-center gap-2 border-l-3 border-accent pl-2">
          <p className="min-w-0 flex-1 text-sm">
            <span className="block font-semibold">
              {intent.kind === "edit" ? w.thread.editing : w.thread.replyingTo(nameOf(intent.message.from))}
            </span>
            <span className="block truncate text-soft">{summary(intent.message)}</span>
          </p>
          <IconButton icon={X} label={w.cancel} onClick={onIntentDone} />
        </div>
      )}
      <form
        className="flex items-end gap-1"
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        <IconButton icon={Paperclip} label={w.thread.attach} disabled={!options.online} onClick={() => setOpen("attach")} />
        <textarea
          ref={field}
          aria-label={w.thread.write}
          placeholder={w.thread.write}
          rows={1}
          maxLength={65_536}
          value={text}
          onChange={({ target }) => {
            setText(target.value);
            typing.key();
          }}
          onBlur={() => typing.stop()}
          onKeyDown={keys}
          onPaste={(event) => {
            const picture = pictureIn(event.clipboardData);
            if (picture === null) return;
            event.preventDefault();
            onFile(picture instanceof File ? picture : new File([picture], "imagem.png", { type: picture.type }));
          }}
          className="field-sizing-content max-h-32 min-h-11 min-w-0 flex-1 resize-none rounded-lg border border-edge bg-surface px-3 py-2"
        />
        {text.trim() === "" && intent?.kind !== "edit" ? (
          <IconButton icon={Mic} label={w.thread.record} disabled={!options.online} onClick={() => setOpen("record")} />
        ) : (
          <IconButton icon={SendHorizontal} label={w.thread.send} kind="primary" onClick={() => void send()} />
        )}
      </form>
      {open === "attach" && (
        <Sheet title={w.thread.attach} onClose={() => setOpen(null)}>
          <div className="grid gap-2">
            <Choose label={w.thread.picture} accept="image/*,video/*" onFile={onFile} onClose={() => setOpen(null)} />
            <Choose label={w.thread.audio} accept="audio/*" onFile={onFile} onClose={() => setOpen(null)} />
            <Choose label={w.thread.document} accept="" onFile={onFile} onClose={() => setOpen(null)} />
          </div>
        </Sheet>
      )}
    </div>
  );
}

function Choose({ label, accept, onFile, onClose }: { label: string; accept: string; onFile: (file: File) => void; onClose: () => void }) {
  return (
    <label className="flex min-h-11 cursor-pointer items-center justify-center rounded-md border border-edge px-4 py-2 font-semibold focus-within:outline-2 focus-within:outline-offset-2 focus-within:outline-accent hover:bg-tint">
      {label}
      <input
        type="file"
        accept={accept}
        className="sr-only"
        onChange={({ target }) => {
          const [file] = target.files ?? [];
          if (file === undefined) return;
          onClose();
          onFile(file);
        }}
      />
    </label>
  );
}

function useTyping(phone: string, chatId: string, isOnline: boolean) {
  const last = useRef(0);
  const pause = useRef<ReturnType<typeof setTimeout>>(undefined);
  const say = (presence: "typing" | "paused"): void => {
    if (isOnline) void change(phone, "POST", "/presence", { presence, chat_id: chatId }).catch(() => undefined);
  };
  const stop = (): void => {
    clearTimeout(pause.current);
    if (last.current === 0) return;
    last.current = 0;
    say("paused");
  };
  useEffect(() => () => clearTimeout(pause.current), []);
  return {
    stop,
    key: (): void => {
      clearTimeout(pause.current);
      pause.current = setTimeout(stop, TYPING_MS);
      if (Date.now() - last.current < TYPING_MS) return;
      last.current = Date.now();
      say("typing");
    },
  };
}
