import type { ShownMessage } from "test-network/phone/views.ts";
import { change } from "../network/control.ts";
import { toast } from "../../src/ui/toast.tsx";
import { useAction } from "../network/action.ts";
import { Button } from "../../src/ui/button.tsx";
import { Sheet } from "../widgets/sheet.tsx";
import { usePhoneTexts } from "../texts/texts.ts";
import type { Intent } from "./composer.tsx";
import { useSummary } from "./content.tsx";

const REACTIONS = ["👍", "❤️", "😂", "😮", "😢", "🙏"] as const;

type ActionsOf = {
  phone: string;
  message: ShownMessage;
  isAdmin: boolean;
  onIntent: (intent: Intent) => void;
  onClose: () => void;
};

export function MessageActions({ phone, message, isAdmin, onIntent, onClose }: ActionsOf) {
  const w = usePhoneTexts();
  const act = useAction();
  const summary = useSummary();
  const { chat_id, message_id, from_me: isOwn, text, reactions } = message;
  const mine = reactions.find(({ from }) => from === phone)?.reaction;
  const post = (path: string, body: object = {}): void => {
    onClose();
    void act(() => change(phone, "POST", path, { chat_id, message_id, ...body }));
  };
  const then = (kind: Intent["kind"]): void => {
    onClose();
    onIntent({ kind, message });
  };
  const copy = (): void => {
    onClose();
    void navigator.clipboard.writeText(text ?? "").then(() => toast(w.thread.copied));
  };
  return (
    <Sheet title={w.thread.message} onClose={onClose}>
      <p className="mb-3 truncate text-sm text-soft">{summary(message)}</p>
      <div className="flex flex-wrap justify-between">
        {REACTIONS.map((emoji) => (
          <button
            key={emoji}
            type="button"
            aria-label={mine === emoji ? w.thread.unreact : w.thread.reactWith(emoji)}
            aria-pressed={mine === emoji}
            onClick={() => post("/react", { reaction: mine === emoji ? "" : emoji })}
            className="inline-flex size-11 items-center justify-center rounded-full text-xl hover:bg-tint aria-pressed:bg-tint aria-pressed:outline-2 aria-pressed:outline-accent"
          >
            {emoji}
          </button>
        ))}
      </div>
      <div className="mt-4 grid gap-2">
        <Button onClick={() => then("reply")}>{w.thread.reply}</Button>
        {text !== null && <Button onClick={copy}>{w.thread.copy}</Button>}
        {isOwn && message.type === "text" && <Button onClick={() => then("edit")}>{w.thread.edit}</Button>}
        {(isOwn || isAdmin) && (
          <Button kind="danger" onClick={() => post("/delete")}>
            {w.thread.remove}
          </Button>
        )}
      </div>
    </Sheet>
  );
}
