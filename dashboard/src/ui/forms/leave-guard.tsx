import { useBlocker } from "@tanstack/react-router";
import { useIsLeaving } from "../../api/cache.ts";
import { UI } from "../../texts/catalogs.ts";
import { useTexts } from "../../texts/catalog.ts";
import { Button } from "../button.tsx";
import { Dialog } from "../dialog.tsx";

/** Dialogs ask themselves. */
const holdsTyped = () => document.querySelector("main form[data-typed=unsaved]:not(dialog form)") !== null;

/** Asks before the page is left while one of its forms has unsaved changes. */
export function LeaveGuard() {
  const texts = useTexts(UI);
  // A person who deletes the connection does not need its unsaved settings.
  const isLeaving = useIsLeaving();
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => !isLeaving && current.pathname !== next.pathname && holdsTyped(),
    enableBeforeUnload: () => !isLeaving && holdsTyped(),
    withResolver: true,
  });
  if (blocker.status !== "blocked") return null;
  return (
    <Dialog
      open
      onClose={blocker.reset}
      title={texts.leave.title}
      actions={
        <>
          <Button kind="danger" onClick={blocker.proceed}>
            {texts.leave.leave}
          </Button>
          <Button data-autofocus onClick={blocker.reset}>
            {texts.discard.keep}
          </Button>
        </>
      }
    >
      <p>{texts.leave.text}</p>
    </Dialog>
  );
}
