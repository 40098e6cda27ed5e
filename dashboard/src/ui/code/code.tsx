import "@fontsource-variable/atkinson-hyperlegible-mono/wght.css";
import { WrapText } from "lucide-react";
import { type ReactNode, useState } from "react";
import { UI } from "../../texts/catalogs.ts";
import { useTexts } from "../../texts/catalog.ts";
import { IconButton } from "../button.tsx";
import { CopyButton } from "./copy.tsx";

type CodeProps = {
  text: string;
  lang?: ReactNode;
  copy?: boolean;
  wrap?: boolean;
  copied?: string;
};

export function Code({ text, lang, copy = true, wrap = false, copied = text }: CodeProps) {
  const texts = useTexts(UI);
  const [wrapped, setWrapped] = useState(wrap);
  return (
    <figure className="min-w-0 overflow-hidden rounded-md border border-line">
      <figcaption className="flex min-h-9 items-center gap-1 border-b border-line bg-tint pl-3">
        <span className="grow text-sm text-soft">{lang}</span>
        <IconButton label={texts.wrap} icon={WrapText} pressed={wrapped} onClick={() => setWrapped(!wrapped)} />
        {copy && <CopyButton value={copied} iconOnly />}
      </figcaption>
      <pre
        // Focusable, so that it can be scrolled by keyboard.
        tabIndex={0}
        className={`max-h-96 overflow-auto bg-surface p-3 font-mono text-code focus-visible:-outline-offset-2 ${wrapped ? "break-words whitespace-pre-wrap" : ""}`}
      >
        <code>{text}</code>
      </pre>
    </figure>
  );
}

export function Mono({ children }: { children: ReactNode }) {
  return <code className="font-mono text-code break-all">{children}</code>;
}
