import { type KeyboardEvent, type ReactNode, useId, useRef } from "react";

export type Tab = { id: string; label: ReactNode; content: ReactNode };

type TabsProps = { label: string; tabs: readonly Tab[]; chosen: string; onChoose: (id: string) => void };

export function Tabs({ label, tabs, chosen, onChoose }: TabsProps) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const shown = tabs.find((tab) => tab.id === chosen) ?? tabs[0];
  const move = (event: KeyboardEvent) => {
    const at = tabs.findIndex((tab) => tab.id === shown?.id);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
    const next = to === undefined ? undefined : tabs.at(to % tabs.length);
    if (next === undefined) return;
    event.preventDefault();
    onChoose(next.id);
    list.current?.querySelector<HTMLElement>(`[data-tab="${CSS.escape(next.id)}"]`)?.focus();
  };
  return (
    <div className="grid min-w-0 gap-3">
      <div
        ref={list}
        role="tablist"
        aria-label={label}
        tabIndex={-1}
        onKeyDown={move}
        className="flex flex-wrap gap-x-1 border-b border-line"
      >
        {tabs.map((tab) => (
          <button
            key={tab.id}
            type="button"
            role="tab"
            id={`${id}t${tab.id}`}
            data-tab={tab.id}
            aria-selected={tab === shown}
            aria-controls={`${id}p`}
            tabIndex={tab === shown ? 0 : -1}
            onClick={() => onChoose(tab.id)}
            className="-mb-px min-h-11 border-b-2 border-transparent px-3 text-soft hover:text-ink focus-visible:-outline-offset-2 aria-selected:border-accent aria-selected:font-semibold aria-selected:text-ink pointer-fine:min-h-9"
          >
            {tab.label}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}p`} aria-labelledby={`${id}t${shown?.id ?? ""}`} className="min-w-0">
        {shown?.content}
      </div>
    </div>
  );
}
