// Begins: finds out where the data is, and shows the page.
import { mount } from "svelte";
import App from "./App.svelte";
import { followLinks, openSource } from "./source/open.ts";
import { page } from "./state.svelte.ts";
// oxlint-disable-next-line import/no-unassigned-import -- styles are made of it
import "./style.css";

document.documentElement.dataset["theme"] = page.theme;
const target = document.querySelector("#page");
if (target !== null) mount(App, { target });
followLinks();
void openSource();
