"use strict";
// Every page works without this: links and forms are the same, their answers only come without a
// new page, what is typed is asked at once, and who waits sees what has changed.
(() => {
  const PAUSE = 350; // milliseconds after the last key before something is asked
  const LOOK = 1500; // milliseconds between two looks at what others do
  let latest = 0, timer = 0, waiting = 0;

  const main = () => document.getElementById("main");

  const show = (text, focus) => {
    const page = new DOMParser().parseFromString(text, "text/html");
    const found = page.getElementById("main");
    if (!found) return false;
    const opened = [...document.querySelectorAll("#main details")].map((one) => one.open);
    main().replaceWith(found);
    document.querySelectorAll("#main details").forEach((one, k) => { one.open ||= opened[k]; });
    document.title = page.title;
    document.documentElement.lang = page.documentElement.lang;
    const field = focus && document.getElementById(focus.id);
    if (field) {
      field.focus();
      if (focus.at !== null && field.setSelectionRange && field.type === "text") {
        field.setSelectionRange(focus.at, focus.at);
      }
    }
    // what is under way is told by the page itself: how soon to look again
    const again = page.querySelector("noscript")?.innerHTML.match(/content="(\d+)"/);
    later(again ? Number(again[1]) : 0);
    return true;
  };

  const go = async (address, what = {}, push = true, focus = null) => {
    const mine = ++latest;
    main().setAttribute("aria-busy", "true");
    try {
      const answer = await fetch(address, { credentials: "same-origin", ...what });
      const isPage = (answer.headers.get("Content-Type") || "").startsWith("text/html");
      const text = isPage ? await answer.text() : "";
      if (mine !== latest) return; // something else was asked since
      if (!isPage || !show(text, focus)) { location.assign(address); return; }
      // what was pressed is gone: who has a keyboard or a screen reader goes on in what came of it
      if (push && document.activeElement === document.body) {
        main().tabIndex = -1;
        main().focus({ preventScroll: true });
      }
      if (push && answer.url !== location.href) history.pushState(null, "", answer.url);
      else if (!push) history.replaceState(null, "", answer.url);
    } catch {
      if (mine === latest) location.assign(address);
    }
  };

  const later = (seconds) => {
    clearTimeout(waiting);
    if (!seconds) return;
    const table = document.getElementById("table");
    waiting = setTimeout(() => (table ? look(table) : go(location.href, {}, false)), Math.min(seconds * 1000, LOOK));
  };

  const look = async (table) => {
    try {
      const path = location.pathname;
      const answer = await fetch(`${path}/version`, { credentials: "same-origin" });
      const { version } = await answer.json();
      if (location.pathname !== path) return;
      if (String(version) !== table.dataset.version) {
        await go(`${location.pathname}?${new URLSearchParams({ since: table.dataset.version, ...lang() })}`, {}, false);
        return;
      }
    } catch { /* the next look may go well */ }
    later(LOOK / 1000);
  };

  const lang = () => {
    const code = new URLSearchParams(location.search).get("lang");
    return code ? { lang: code } : {};
  };

  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[href]");
    // where a map was clicked the browser alone tells
    if (!link || event.target.isMap || event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    const address = new URL(link.href);
    // within the page alone: the menu and other kinds of files are loaded as ever
    if (address.origin !== location.origin || !main().contains(link) || /\.\w+$|^\/api\//.test(address.pathname)) return;
    event.preventDefault();
    const label = link.getAttribute("aria-label");
    go(link.href).then(() => {
      const same = document.getElementById(link.id) || label && [...document.querySelectorAll("#main a[aria-label]")].find((one) => one.getAttribute("aria-label") === label);
      if (same) same.focus({ preventScroll: true });
      else if (address.pathname !== location.pathname) scrollTo(0, 0);
    });
  });

  document.addEventListener("submit", (event) => {
    const form = event.target, data = new FormData(form, event.submitter);
    event.preventDefault();
    clearTimeout(timer);
    send(form, data, null);
  });

  const send = (form, data, focus) => {
    if (form.method === "get") {
      const given = new URLSearchParams([...data].filter(([, value]) => value !== ""));
      go(`${new URL(form.action).pathname}?${given}`, {}, !focus, focus);
    } else {
      // what is wrong is said at the top of a form that may be long
      go(form.action, { method: "POST", body: new URLSearchParams(data) }, true, focus)
        .then(() => main().querySelector("[role=alert]")?.scrollIntoView({ block: "center" }));
    }
  };

  const ask = (field) => {
    const form = field.form;
    if (!form?.dataset.live) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      if (!form.isConnected || !form.checkValidity()) return;
      const at = field.type === "text" ? field.selectionStart : null;
      send(form, new FormData(form), { id: field.id, at });
    }, PAUSE);
  };

  document.addEventListener("input", ({ target }) => {
    const told = target.type === "range" && document.querySelector(`output[for="${target.id}"]`);
    if (told) told.value = Number(target.value).toLocaleString(document.documentElement.lang);
    else ask(target);
  });

  // a slider asks once it is let go, as its answer replaces it
  document.addEventListener("change", ({ target }) => { if (target.type === "range") ask(target); });

  addEventListener("popstate", () => go(location.href, {}, false));
  const first = document.querySelector("noscript")?.textContent.match(/content="(\d+)"/);
  later(first ? Number(first[1]) : 0);
})();
