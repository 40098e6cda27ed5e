import { type ReactNode, useId } from "react";

type PanelProps = {
  title: ReactNode;
  actions?: ReactNode;
  about?: ReactNode;
  children: ReactNode;
  flush?: boolean;
  id?: string;
};

export function Panel({ title, actions, about, children, flush = false, id }: PanelProps) {
  const titleId = useId();
  return (
    <section id={id} aria-labelledby={titleId} className="min-w-0 rounded-lg bg-surface">
      <header className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 px-4 pt-3">
        <div className="min-w-0 grow basis-48">
          <h2 id={titleId} className="text-lg break-words">
            {title}
          </h2>
          {about !== undefined && <p className="text-sm text-soft">{about}</p>}
        </div>
        {actions !== undefined && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
      </header>
      <div className={flush ? "min-w-0 pt-2" : "grid min-w-0 gap-4 px-4 pt-3 pb-4"}>{children}</div>
    </section>
  );
}
