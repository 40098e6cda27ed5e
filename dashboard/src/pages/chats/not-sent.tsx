// Below the bubble of a refused text. Loads with the chat, because it is also needed while the server does not deliver other files.
import { RotateCw } from "lucide-react";
import type { Refusal } from "../../api/refusal.ts";
import { Button } from "../../ui/button.tsx";
import { useNow } from "../../ui/clock.ts";
import { Help } from "../../ui/technical.tsx";
import { CHATS } from "../../texts/catalogs.ts";
import { useTexts } from "../../texts/catalog.ts";

type NotSentProps = {
  text: string;
  refused: Refusal | null;
  /** In Unix ms. No retry is offered before, because it could lead to a ban. */
  blockedUntil: number;
  isStored: boolean;
  onAgain: () => void;
  onDiscard: (isGone: boolean) => void;
};

export function NotSent({ text, refused, blockedUntil, isStored, onAgain, onDiscard }: NotSentProps) {
  const texts = useTexts(CHATS);
  const isBlocked = useNow() < blockedUntil;
  return (
    <div role="group" aria-label={`${texts.status.failed}: ${text.slice(0, 99)}`} className="grid max-w-[85%] gap-2 justify-self-end">
      {refused !== null && <Help refused={refused} />}
      <div className="flex flex-wrap justify-end gap-2">
        {!isBlocked && (
          <Button icon={RotateCw} onClick={onAgain}>
            {texts.file.again}
          </Button>
        )}
        <Button onClick={() => onDiscard(!isStored)}>{isStored ? texts.dismiss : texts.discard}</Button>
      </div>
    </div>
  );
}
