// The actions on waiting messages.
import { Ellipsis } from "lucide-react";
import { Suspense, useState } from "react";
import { Button } from "../../ui/button.tsx";
import { lazyPart } from "../../ui/loading/lazy-part.tsx";
import { Menu } from "../../ui/menu.tsx";
import { CHATS } from "../../texts/catalogs.ts";
import { useTexts } from "../../texts/catalog.ts";
import type { WaitingSend } from "./waiting-reads.ts";

const Edit = lazyPart(() => import("./waiting-dialogs.tsx").then(({ Edit: component }) => component));
const Cancel = lazyPart(() => import("./waiting-dialogs.tsx").then(({ Cancel: component }) => component));
const CancelEvery = lazyPart(() => import("./waiting-dialogs.tsx").then(({ CancelEvery: component }) => component));

export function WaitingActions({ id, send }: { id: string; send: WaitingSend }) {
  const texts = useTexts(CHATS).later;
  const [open, setOpen] = useState<"edit" | "cancel" | null>(null);
  const close = () => setOpen(null);
  return (
    <>
      <Menu
        label={<Ellipsis size={16} aria-hidden />}
        name={texts.actions}
        kind="quiet"
        align="end"
        bare
        className="w-11 shrink-0 !px-0 pointer-fine:w-9"
        items={[
          { label: texts.edit, onSelect: () => setOpen("edit") },
          { label: texts.cancel, danger: true, onSelect: () => setOpen("cancel") },
        ]}
      />
      {open !== null && (
        <Suspense>
          {open === "edit" ? <Edit id={id} send={send} onClose={close} /> : <Cancel id={id} send={send} onClose={close} />}
        </Suspense>
      )}
    </>
  );
}

/** Cancels the waiting messages of one chat, or all of the number's. Not offered for a single message, because it has its own menu. */
export function CancelAll({ id, chatId, count }: { id: string; chatId: string | null; count: number }) {
  const texts = useTexts(CHATS).later;
  const [open, setOpen] = useState(false);
  if (count < 2) return null;
  return (
    <>
      <Button kind="quiet" onClick={() => setOpen(true)}>
        {texts.cancelAll}
      </Button>
      {open && (
        <Suspense>
          <CancelEvery id={id} chatId={chatId} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
