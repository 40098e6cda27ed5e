import { MessageSquareText, QrCode, Tag } from "lucide-react";
import type { ReactNode } from "react";
import { Empty } from "../../ui/states.tsx";
import { useTexts } from "../../texts/catalog.ts";
import { CONNECTIONS } from "../../texts/catalogs.ts";

export function FirstConnection({ action }: { action: ReactNode }) {
  const texts = useTexts(CONNECTIONS);
  const { steps } = texts;
  const shown = [
    { icon: Tag, title: steps.name, text: steps.nameText },
    { icon: QrCode, title: steps.scan, text: steps.scanText },
    { icon: MessageSquareText, title: steps.send, text: steps.sendText },
  ];
  return (
    <Empty title={texts.emptyTitle} text={texts.empty} action={action}>
      <ol className="grid w-full gap-4 py-2 sm:grid-cols-3">
        {shown.map(({ icon: Icon, title, text }, step) => (
          <li key={title} className="grid content-start gap-2 border-t-2 border-edge pt-3">
            <Icon size={40} strokeWidth={1.25} aria-hidden className="text-soft" />
            <p className="font-semibold">
              {step + 1}. {title}
            </p>
            <p className="text-soft">{text}</p>
          </li>
        ))}
      </ol>
    </Empty>
  );
}
