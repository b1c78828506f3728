// SPDX-License-Identifier: GPL-2.0-or-later
// Makes a flame graph react: a click enlarges a frame, a search colours frames. Without it, the picture is the same.
(function () {
  "use strict";
  function enliven(root) {
    const kSvg = "http://www.w3.org/2000/svg";
    const kHtml = "http://www.w3.org/1999/xhtml";
    const alone = root === document.documentElement;  // in a file of its own
    const whole = Number(root.dataset.whole);
    const margin = Number(root.dataset.margin);
    const character = Number(root.dataset.character);
    const textMargin = Number(root.dataset.textMargin);
    const gap = Number(root.dataset.gap);
    const wide = Number(root.dataset.wide);
    const room = root.viewBox.baseVal.width - 2 * margin;

    const frames = Array.from(root.querySelectorAll(".frame"), function (element) {
      const left = Number(element.dataset.left);
      return {
        element: element,
        rect: element.querySelector("rect"),
        text: element.querySelector("text"),
        label: element.dataset.label,
        whole: element.dataset.label + (element.dataset.number ? " " + element.dataset.number : ""),
        about: element.querySelector("title").textContent.split("\n").join("   "),
        depth: Number(element.dataset.depth),
        left: left,
        right: left + Number(element.dataset.width),
      };
    });

    // The label with its number or, without it, as far as it fits.
    function fitting(frame, width) {
      const characters = Math.floor((width - 2 * textMargin) / character);
      if (Array.from(frame.whole).length <= characters) return frame.whole;
      const all = Array.from(frame.label);
      if (all.length <= characters) return frame.label;
      return characters < 3 ? "" : all.slice(0, characters - 1).join("") + "\u2026";
    }

    function place(frame, left, width) {
      frame.rect.setAttribute("x", left);
      frame.rect.setAttribute("width", width > wide ? width - gap : width);
      frame.text.setAttribute("x", left + textMargin);
      frame.text.textContent = fitting(frame, width);
    }

    // `chosen` takes the whole width; what is below it too, and what is beside it is hidden.
    function enlarge(chosen) {
      const scale = room / (chosen.right - chosen.left);
      for (const frame of frames) {
        const around = frame.depth < chosen.depth && frame.left <= chosen.left && frame.right >= chosen.right;
        const within = frame.depth >= chosen.depth && frame.left >= chosen.left && frame.right <= chosen.right;
        frame.element.classList.toggle("around", around);
        frame.element.classList.toggle("hidden", !around && !within);
        if (around) place(frame, margin, room);
        if (within) place(frame, margin + (frame.left - chosen.left) * scale, (frame.right - frame.left) * scale);
      }
      reset.disabled = chosen.depth === 0;
    }

    // The part of the whole that found frames cover, each stretch once.
    function covered(found) {
      let end = 0;
      let sum = 0;
      for (const frame of found.slice().sort((a, b) => a.left - b.left || b.right - a.right)) {
        if (frame.right <= end) continue;
        sum += frame.right - Math.max(end, frame.left);
        end = frame.right;
      }
      return sum / whole;
    }

    function search() {
      let pattern = null;
      try {
        pattern = field.value === "" ? null : new RegExp(field.value, "i");
      } catch (error) {
        say("This is not a regular expression.");
      }
      const found = pattern === null ? [] : frames.filter((frame) => pattern.test(frame.whole));
      const set = new Set(found);
      for (const frame of frames) frame.element.classList.toggle("found", set.has(frame));
      if (pattern !== null) say(found.length + " frames match, " + (100 * covered(found)).toFixed(1) + " % of the width");
      else if (field.value === "") say("");
    }

    function html(name, text) {
      const element = document.createElementNS(kHtml, name);
      element.textContent = text;
      return element;
    }

    function say(text) {
      about.textContent = text;
    }

    const field = html("input", "");
    const reset = html("button", "Reset zoom");
    const about = html("span", "");
    const hint = "Click a frame to enlarge it" + (alone ? "; Ctrl-F searches." : ".");

    function addControls() {
      const box = document.createElementNS(kSvg, "foreignObject");
      box.setAttribute("x", margin);
      box.setAttribute("y", root.dataset.controls);
      box.setAttribute("width", room);
      box.setAttribute("height", 28);
      const bar = html("div", "");
      bar.className = "controls";
      field.type = "text";
      field.placeholder = "Search: a regular expression";
      field.setAttribute("aria-label", "Search frames by a regular expression");
      bar.append(field, reset, about);
      box.append(bar);
      root.append(box);
      say(hint);
    }

    addControls();
    reset.disabled = true;
    const everything = frames.find((frame) => frame.depth === 0);
    reset.addEventListener("click", () => enlarge(everything));
    field.addEventListener("input", search);
    for (const frame of frames) {
      frame.element.setAttribute("tabindex", "0");
      frame.element.addEventListener("click", () => enlarge(frame));
      frame.element.addEventListener("keydown", function (event) {
        if (event.key === "Enter") enlarge(frame);
      });
      frame.element.addEventListener("mouseenter", () => say(frame.about));
      frame.element.addEventListener("mouseleave", () => search());
    }
    (alone ? window : root).addEventListener("keydown", function (event) {
      if (alone && (event.ctrlKey || event.metaKey) && event.key === "f") {
        event.preventDefault();
        field.focus();
        field.select();
      } else if (event.key === "Escape") {
        field.value = "";
        search();
        enlarge(everything);
      }
    });
  }

  for (const root of document.querySelectorAll("svg.flame")) enliven(root);
})();
