// A menu button with the standard keyboard behaviour of menus.
import { Check, ChevronDown, type LucideIcon } from "lucide-react";
import { type KeyboardEvent, type ReactNode, useId, useRef, useState } from "react";
import { type ButtonKind, buttonClass } from "./button.tsx";
import { position } from "./floating/position.ts";

export type MenuItem = {
  label: string;
  onSelect: () => void;
  icon?: LucideIcon;
  danger?: boolean;
  why?: string;
  checked?: boolean;
};

type MenuProps = {
  label: ReactNode;
  /** Accessible name of the button, if `label` is an icon. */
  name?: string;
  items: readonly MenuItem[];
  /** More items, below `items`. */
  foot?: ReactNode;
  kind?: ButtonKind;
  icon?: LucideIcon;
  align?: "start" | "end";
  className?: string;
  bare?: boolean;
};

export function Menu({ label, name, items, foot, kind = "plain", icon: Icon, align = "start", className = "", bare = false }: MenuProps) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const [open, setOpen] = useState(false);
  const choices = () => [...(list.current?.querySelectorAll<HTMLElement>("[role^=menuitem]") ?? [])];
  const move = (event: KeyboardEvent) => {
    const all = choices();
    const at = all.indexOf(document.activeElement as HTMLElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[event.key];
    if (to !== undefined) {
      event.preventDefault();
      all.at(to % all.length)?.focus();
    } else if (event.key === "Tab") list.current?.hidePopover();
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        popoverTarget={id}
        aria-haspopup="menu"
        aria-label={name}
        onKeyDown={(event) => {
          if (event.key !== "ArrowDown" || list.current?.matches(":popover-open") === true) return;
          event.preventDefault();
          button.current?.click();
        }}
        className={buttonClass(kind, className)}
      >
        {Icon && <Icon size={16} aria-hidden className="shrink-0" />}
        {label}
        {!bare && <ChevronDown size={14} aria-hidden className="shrink-0" />}
      </button>
      <div
        ref={list}
        id={id}
        popover="auto"
        role="menu"
        tabIndex={-1}
        onKeyDown={move}
        onBeforeToggle={({ currentTarget, newState }) => {
          currentTarget.style.visibility = "hidden";
          setOpen(newState === "open");
        }}
        onToggle={({ currentTarget, newState }) => {
          if (newState !== "open" || button.current === null) return;
          position(currentTarget, button.current, align);
          currentTarget.style.visibility = "visible";
          (choices().find((choice) => choice.getAttribute("aria-checked") === "true") ?? choices()[0])?.focus();
        }}
        className="floating min-w-44 p-1"
      >
        {open &&
          items.map((item) => (
            <MenuChoice
              key={item.label}
              item={item}
              onChosen={() => {
                list.current?.hidePopover();
                button.current?.focus();
                item.onSelect();
              }}
            />
          ))}
        {open && foot}
      </div>
    </>
  );
}

function MenuChoice({ item: { label, icon: Icon, danger = false, why, checked }, onChosen }: { item: MenuItem; onChosen: () => void }) {
  return (
    <button
      type="button"
      role={checked === undefined ? "menuitem" : "menuitemradio"}
      aria-checked={checked}
      aria-disabled={why !== undefined || undefined}
      tabIndex={-1}
      onClick={() => {
        if (why === undefined) onChosen();
      }}
      className={`choice ${danger ? "text-bad" : ""}`}
    >
      {Icon && <Icon size={16} aria-hidden className="shrink-0" />}
      <span className="min-w-0 grow">
        {label}
        {why !== undefined && <span className="block text-sm text-soft">{why}</span>}
      </span>
      {checked === true && <Check size={16} aria-hidden className="shrink-0" />}
    </button>
  );
}
