// A secret that is shown once. It leaves by one button; Escape, a click outside and Back do not close it.
import { useRouter } from "@tanstack/react-router";
import { type ReactNode, useLayoutEffect } from "react";
import { UI } from "../../texts/catalogs.ts";
import { useTexts } from "../../texts/catalog.ts";
import { Button } from "../button.tsx";
import { CopyButton } from "./copy.tsx";
import { Dialog } from "../dialog.tsx";

type SecretOnceProps = {
  title: string;
  value: string;
  /** How to use it: shown under the value. */
  how?: ReactNode;
  /** Forget the value now. */
  onStored: () => void;
};

/** Rendered while there is a value; the value lives in the state of the one component that asked for it. */
export function SecretOnce({ title, value, how, onStored }: SecretOnceProps) {
  const texts = useTexts(UI);
  const { history } = useRouter();
  // Before it is painted: somebody may press Back the moment it is there.
  useLayoutEffect(() => history.block({ blockerFn: () => true, enableBeforeUnload: true }), [history]);
  return (
    <Dialog
      open
      closable={false}
      onClose={onStored}
      title={title}
      actions={
        <Button kind="primary" onClick={onStored}>
          {texts.secret.stored}
        </Button>
      }
    >
      <p>{texts.secret.once}</p>
      <div className="flex flex-wrap items-center gap-2 rounded-md border border-edge bg-tint p-2">
        <code data-secret className="min-w-40 grow px-1 font-mono text-code break-all select-all">
          {value}
        </code>
        <CopyButton value={value} />
      </div>
      {how}
    </Dialog>
  );
}
