import { Check, Copy } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { UI } from "../../texts/catalogs.ts";
import { useTexts } from "../../texts/catalog.ts";
import { Button, type ButtonKind, IconButton } from "../button.tsx";
import { announce, toast } from "../toast.tsx";

const SHOWN_MS = 2_000;

/** `copied` is true for two seconds after a copy. */
export function useCopy(): { copied: boolean; copy: (text: string, beside: HTMLElement, said?: string) => void } {
  const texts = useTexts(UI);
  const [copied, setCopied] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const done = (said: string) => {
    announce(said);
    setCopied(true);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setCopied(false), SHOWN_MS);
  };
  return {
    copied,
    copy(text, beside, said = texts.copied) {
      const act = async () => {
        if (await write(text, beside)) done(said);
        else toast(texts.copyFailed, { kind: "bad" });
      };
      void act();
    },
  };
}

async function write(text: string, beside: HTMLElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return writeBySelection(text, beside);
  }
}

/** Copies by selecting the text, because browsers offer no clipboard API without https, for example on a local network. */
function writeBySelection(text: string, beside: HTMLElement): boolean {
  const area = document.createElement("textarea");
  area.value = text;
  area.readOnly = true;
  area.className = "sr-only";
  // While a dialog is open, only the dialog's own elements can be selected.
  beside.after(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  beside.focus();
  return done;
}

type CopyButtonProps = {
  value: string;
  label?: string;
  iconOnly?: boolean;
  kind?: ButtonKind;
};

export function CopyButton({ value, label, iconOnly = false, kind }: CopyButtonProps) {
  const texts = useTexts(UI);
  const { copied, copy } = useCopy();
  const icon = copied ? Check : Copy;
  if (iconOnly) {
    return (
      <IconButton
        label={copied ? texts.copied : (label ?? texts.copy)}
        icon={icon}
        kind={kind ?? "quiet"}
        onClick={({ currentTarget }) => copy(value, currentTarget)}
      />
    );
  }
  return (
    <Button icon={icon} {...(kind === undefined ? {} : { kind })} onClick={({ currentTarget }) => copy(value, currentTarget)}>
      {copied ? texts.copied : (label ?? texts.copy)}
    </Button>
  );
}
