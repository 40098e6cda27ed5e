import { useRouter } from "@tanstack/react-router";
import { X } from "lucide-react";
import { type MouseEvent, type ReactNode, useEffectEvent, useId, useLayoutEffect, useRef, useState } from "react";
import { UI } from "../texts/catalogs.ts";
import { useTexts } from "../texts/catalog.ts";
import { Button } from "./button.tsx";
import { LiveRegion } from "./toast.tsx";

type FrameProps = {
  open: boolean;
  onClose: () => void;
  title: ReactNode;
  /** If false, Escape, Back and a click outside do not close the dialog. Otherwise, the dialog asks before it discards typed text. */
  closable?: boolean;
  children: ReactNode;
  actions?: ReactNode;
};

export function Dialog({ size = "normal", ...frame }: FrameProps & { size?: "normal" | "wide" }) {
  return (
    <Frame
      {...frame}
      className={`m-auto max-h-[calc(100dvh-2rem)] rounded-lg border border-line ${size === "wide" ? "w-[min(48rem,calc(100vw-1.5rem))]" : "w-[min(32rem,calc(100vw-1.5rem))]"}`}
    />
  );
}

/** A drawer is on the right in wide windows and full-screen in narrow ones. Give it its own URL. */
export function Drawer(frame: FrameProps) {
  return (
    <Frame
      {...frame}
      className="drawer m-0 ml-auto h-dvh max-h-none w-full max-w-none border-line min-[900px]:w-[min(44rem,60vw)] min-[900px]:border-l"
    />
  );
}

/** A closed dialog is unmounted, so that each opening starts fresh. */
function Frame(props: FrameProps & { className: string }) {
  return props.open ? <OpenFrame {...props} /> : null;
}

function OpenFrame({ onClose, title, closable = true, children, actions, className }: FrameProps & { className: string }) {
  const texts = useTexts(UI);
  const dialog = useRef<HTMLDialogElement>(null);
  const pressedOutside = useRef(false);
  const titleId = useId();
  const [isAsking, setAsking] = useState(false);
  // The simulated phone shows dialogs without a router.
  const history = useRouter({ warn: false })?.history;
  const unsaved = () => dialog.current?.querySelector("form[data-typed=unsaved]");
  const closeUnlessTyped = () => {
    if (unsaved() == null) onClose();
    else setAsking(true);
  };
  const close = useEffectEvent(() => {
    if (closable) closeUnlessTyped();
  });
  const isUnsaved = useEffectEvent(() => unsaved() != null);
  useLayoutEffect(
    () =>
      history?.block({
        blockerFn: ({ action }) => {
          const blocks = isUnsaved() && !/PUSH|REPLACE/.test(action);
          if (blocks) setAsking(true);
          return blocks;
        },
        enableBeforeUnload: () => isUnsaved(),
      }),
    [history],
  );
  // Runs before the first paint, so that no early Escape is missed.
  useLayoutEffect(() => {
    const shown = dialog.current;
    if (shown === null) return undefined;
    const escape = (event: KeyboardEvent) => {
      // A second Escape would close a dialog even if `cancel` is prevented, so this handles the key itself.
      if (event.key === "Escape" && !event.defaultPrevented) {
        event.preventDefault();
        event.stopPropagation();
        close();
      }
    };
    const cancel = (event: Event) => {
      if (event.target !== shown) return;
      event.preventDefault();
      close();
    };
    const closed = (event: Event) => {
      if (event.target === shown && shown.isConnected) shown.showModal();
    };
    shown.addEventListener("keydown", escape);
    shown.addEventListener("cancel", cancel);
    shown.addEventListener("close", closed);
    const opener = document.activeElement;
    // Lets showModal set the focus, which avoids a second layout.
    (shown.querySelector("[data-autofocus]") ?? shown.querySelector("[data-title]"))?.setAttribute("autofocus", "");
    shown.showModal();
    return () => {
      shown.removeEventListener("keydown", escape);
      shown.removeEventListener("cancel", cancel);
      shown.removeEventListener("close", closed);
      shown.close();
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
    };
  }, []);
  const isOutside = (event: MouseEvent) => event.target === dialog.current;
  return (
    // The key handler above closes the dialog on Escape.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-noninteractive-element-interactions
    <dialog
      ref={dialog}
      aria-labelledby={titleId}
      onMouseDown={(event) => (pressedOutside.current = isOutside(event))}
      onClick={(event) => {
        // A click outside must not discard typed text.
        const isTyped = event.currentTarget.querySelector("form[data-typed]") !== null;
        if (closable && !isTyped && pressedOutside.current && isOutside(event)) onClose();
      }}
      className={`overscroll-contain bg-surface p-0 text-ink shadow-float backdrop:bg-black/45 ${className}`}
    >
      <div className="flex max-h-[inherit] min-h-full flex-col">
        <header className="flex items-center gap-3 border-b border-line py-2 pr-2 pl-4 sm:pl-5">
          <h2 id={titleId} tabIndex={-1} data-title className="grow py-1.5 text-lg break-words outline-none">
            {title}
          </h2>
          {closable && (
            <button
              type="button"
              aria-label={texts.close}
              onClick={closeUnlessTyped}
              className="grid size-11 shrink-0 place-items-center rounded-md hover:bg-tint pointer-fine:size-9"
            >
              <X size={18} aria-hidden />
            </button>
          )}
        </header>
        <div className="grid min-h-0 min-w-0 grow content-start gap-4 overflow-y-auto overscroll-contain px-4 py-4 sm:px-5">{children}</div>
        {(isAsking || actions !== undefined) && (
          <footer className="flex flex-wrap items-center justify-end gap-2 border-t border-line px-4 py-3 sm:px-5">
            {isAsking ? (
              <>
                <p role="alert" className="grow font-semibold">
                  {texts.discard.title}
                </p>
                <Button
                  kind="danger"
                  onClick={() => {
                    // Otherwise, the block above would keep a dialog with its own URL from going back.
                    unsaved()?.removeAttribute("data-typed");
                    onClose();
                  }}
                >
                  {texts.discard.discard}
                </Button>
                <Button autoFocus onClick={() => setAsking(false)}>
                  {texts.discard.keep}
                </Button>
              </>
            ) : (
              actions
            )}
          </footer>
        )}
      </div>
      <LiveRegion />
    </dialog>
  );
}
