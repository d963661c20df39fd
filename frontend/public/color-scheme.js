// Sets the colour scheme before the first paint; a separate file because the page allows no inline script.
(function () {
  var wanted = "auto";
  try {
    wanted = window.localStorage.getItem("stallscope-color-scheme") || "auto";
  } catch (error) {
    wanted = "auto";
  }
  var dark = wanted === "dark" || (wanted !== "light" && window.matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.setAttribute("data-mantine-color-scheme", dark ? "dark" : "light");
})();
