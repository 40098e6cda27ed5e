// The overview of a number that was never connected: what to do now, and what comes after it.
import { Check, MessagesSquare, QrCode } from "lucide-react";
import { type ReactNode, useId } from "react";
import { CONNECTIONS } from "../../texts/catalogs.ts";
import { useTexts } from "../../texts/catalog.ts";

type BeginningProps = { title: string; text: string; children: ReactNode };

export function Beginning({ title, text, children }: BeginningProps) {
  const id = useId();
  const { steps } = useTexts(CONNECTIONS);
  const shown = [
    { icon: Check, title: steps.name, text: steps.nameText },
    { icon: QrCode, title: steps.scan, text: steps.scanText },
    { icon: MessagesSquare, title: steps.send, text: steps.sendText },
  ];
  return (
    <section aria-labelledby={id} className="grid gap-8 rounded-lg bg-surface p-4 sm:p-8">
      <div className="flex flex-wrap items-center gap-x-10 gap-y-4">
        <span aria-hidden className="bubbles">
          <QrCode size={36} strokeWidth={1.25} />
        </span>
        <div className="grid min-w-0 grow basis-72 justify-items-start gap-1">
          <h2 id={id}>{title}</h2>
          <p className="max-w-prose text-soft">{text}</p>
          <div className="mt-3">{children}</div>
        </div>
      </div>
      <ol className="grid gap-4 sm:grid-cols-3">
        {shown.map(({ icon: Icon, title: step, text: about }, at) => (
          <li
            key={step}
            aria-current={at === NOW ? "step" : undefined}
            className={`grid grid-cols-[auto_minmax(0,1fr)] content-start gap-x-3 border-t-2 pt-3 ${at < NOW ? "border-good text-soft" : at === NOW ? "border-accent" : "border-line text-soft"}`}
          >
            <Icon
              size={24}
              strokeWidth={1.5}
              aria-hidden
              className={`row-span-2 ${at < NOW ? "text-good" : at === NOW ? "text-accent" : ""}`}
            />
            <span className="font-semibold">{step}</span>
            <span className="text-sm text-soft">{about}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}

/** The connection exists, so its first step is done. */
const NOW = 1;
