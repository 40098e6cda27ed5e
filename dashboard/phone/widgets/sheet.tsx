import type { ReactNode } from "react";
import { Button } from "../../src/ui/button.tsx";
import { Dialog } from "../../src/ui/dialog.tsx";
import { usePhoneTexts } from "../texts/texts.ts";

export function Sheet({ title, onClose, children }: { title: string; onClose: () => void; children: ReactNode }) {
  return (
    <Dialog open title={title} onClose={onClose}>
      {children}
    </Dialog>
  );
}

export function Confirm({ title, loses, yes, onYes, onClose }: ConfirmProps) {
  const w = usePhoneTexts();
  const answer = (): void => {
    onClose();
    onYes();
  };
  return (
    <Dialog
      open
      title={title}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{w.cancel}</Button>
          <Button kind="danger" onClick={answer}>
            {yes}
          </Button>
        </>
      }
    >
      <p>{loses}</p>
    </Dialog>
  );
}

type ConfirmProps = { title: string; loses: string; yes: string; onYes: () => void; onClose: () => void };
