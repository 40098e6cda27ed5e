import { ChevronDown, type LucideIcon } from "lucide-react";
import { useRouter } from "@tanstack/react-router";
import { type ReactNode, useEffect, useId, useRef, useState } from "react";
import { type ButtonKind, buttonClass } from "../button.tsx";
import { type Align, position } from "./position.ts";

type PopoverProps = {
  label: ReactNode;
  /** The accessible name of the button and the panel. */
  name: string;
  children: (close: () => void) => ReactNode;
  kind?: ButtonKind;
  icon?: LucideIcon;
  align?: Align;
  className?: string;
  panelClass?: string;
  onOpen?: () => void;
  bare?: boolean;
};

export function Popover({
  label,
  name,
  children,
  kind = "quiet",
  icon: Icon,
  align = "start",
  className = "",
  panelClass = "",
  onOpen,
  bare = false,
}: PopoverProps) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  const [open, setOpen] = useState(false);
  const router = useRouter();
  useEffect(
    () =>
      router.subscribe("onBeforeNavigate", ({ hrefChanged }) => {
        if (hrefChanged && panel.current?.matches(":popover-open") === true) panel.current.hidePopover();
      }),
    [router],
  );
  return (
    <>
      <button ref={button} type="button" popoverTarget={id} aria-label={name} className={buttonClass(kind, className)}>
        {Icon && <Icon size={18} aria-hidden className="shrink-0" />}
        {label}
        {label !== null && !bare && <ChevronDown size={14} aria-hidden className="ml-auto shrink-0" />}
      </button>
      <div
        ref={panel}
        id={id}
        popover="auto"
        role="dialog"
        aria-label={name}
        tabIndex={-1}
        onBeforeToggle={({ currentTarget, newState }) => {
          currentTarget.style.visibility = "hidden";
          setOpen(newState === "open");
          if (newState === "open") onOpen?.();
        }}
        onToggle={({ currentTarget, newState }) => {
          if (newState !== "open" || button.current === null) return;
          position(currentTarget, button.current, align);
          currentTarget.style.visibility = "visible";
          currentTarget.focus();
        }}
        className={`floating p-2 focus:outline-none ${panelClass}`}
      >
        {open && children(() => document.getElementById(id)?.hidePopover())}
      </div>
    </>
  );
}
