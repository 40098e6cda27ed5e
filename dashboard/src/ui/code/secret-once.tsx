// A secret shown only once. Only the button closes the dialog, not Escape, Back or a click outside.
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
  how?: ReactNode;
  /** Replaces the default texts, for example for a secret that the user must keep. */
  words?: { once: string; stored: string };
  onStored: () => void;
};

export function SecretOnce({ title, value, how, words, onStored }: SecretOnceProps) {
  const texts = useTexts(UI);
  const shown = words ?? texts.secret;
  const { history } = useRouter();
  // Runs before the first paint, so that Back cannot be pressed earlier.
  useLayoutEffect(() => history.block({ blockerFn: () => true, enableBeforeUnload: true }), [history]);
  return (
    <Dialog
      open
      closable={false}
      onClose={onStored}
      title={title}
      actions={
        <Button kind="primary" onClick={onStored}>
          {shown.stored}
        </Button>
      }
    >
      <p>{shown.once}</p>
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
