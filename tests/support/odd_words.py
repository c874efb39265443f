"""Finds words on a page that only a mistake in a script shows: `[object HTMLElement]`, `undefined`, `false`, `NaN`.

Every text, title and label is read when it is shown, in all frames, so that no view of a page is left out.
"""

from typing import Any

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage

_MARK = "an odd word: "
_WATCH = (
    """(() => {
    const odd = /\\[object |\\b(?:undefined|null|NaN|false)\\b/;
    const read = ["title", "aria-label", "aria-valuetext", "placeholder", "data-label", "href", "alt", "value"];
    const others = "script, style, .listing, #output"; // code, and what code prints
    const said = (text, where) => odd.test(text) && console.log(`MARK${text} in ${where}`);
    const look = (node) => {
        const element = node.nodeType === Node.ELEMENT_NODE ? node : node.parentElement;
        if (!element || element.closest(others)) return;
        if (node.nodeType === Node.TEXT_NODE) return said(node.data, element.outerHTML.slice(0, 200));
        for (const name of read) said(element.getAttribute(name) ?? "", element.outerHTML.slice(0, 200));
        for (const child of element.childNodes) look(child);
    };
    new MutationObserver((changes) => {
        for (const { type, target, addedNodes } of changes)
            for (const node of type === "childList" ? addedNodes : [target])
                if ([Node.ELEMENT_NODE, Node.TEXT_NODE].includes(node.nodeType)) look(node);
    }).observe(document, { subtree: true, childList: true, characterData: true, attributeFilter: read });
})()"""
).replace("MARK", _MARK)


class OddWords:
    """The odd words that the pages of a browser show.

    Attributes:
        browser: All contexts that it makes from now on are read.
    """

    def __init__(self, browser: Browser) -> None:
        self.browser = browser
        self._found: list[str] = []
        new_context = browser.new_context

        def watched(**options: Any) -> BrowserContext:
            context = new_context(**options)
            context.add_init_script(_WATCH)
            context.on("console", self._hear)
            return context

        browser.new_context = watched

    def _hear(self, message: ConsoleMessage) -> None:
        if message.text.startswith(_MARK):
            self._found.append(message.text)

    def said(self) -> list[str]:
        """Return what was found since the last call."""
        for context in self.browser.contexts:
            for page in context.pages:
                page.evaluate("0")  # what the page has reported before this answer is heard first
        found, self._found = self._found, []
        return found
