import { useBlocker } from "@tanstack/react-router";
import { useIsLeaving } from "../../api/cache.ts";
import { UI } from "../../texts/catalogs.ts";
import { useTexts } from "../../texts/catalog.ts";
import { Button } from "../button.tsx";
import { Dialog } from "../dialog.tsx";

/** Ignores forms in dialogs, because dialogs ask for confirmation themselves. */
const holdsTyped = () => document.querySelector("main form[data-typed=unsaved]:not(dialog form)") !== null;

/** Asks for confirmation before the user leaves a page with unsaved changes. */
export function LeaveGuard() {
  const texts = useTexts(UI);
  // Does not ask while the connection is being deleted, because its unsaved settings are no longer needed.
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
