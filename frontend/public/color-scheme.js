// Sets the colours before the first paint; a separate file because the page allows no inline script.
(function () {
  var wanted = "auto";
  try {
    wanted = window.localStorage.getItem("stallscope-color-scheme") || "auto";
  } catch (error) {
    wanted = "auto";
  }
  try {
    var settings = JSON.parse(window.localStorage.getItem("stallscope-settings") || "{}");
    if (settings && settings.highContrast === true) document.documentElement.setAttribute("data-high-contrast", "");
  } catch (error) {
    // Nothing stored that can be read.
  }
  var dark = wanted === "dark" || (wanted !== "light" && window.matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.setAttribute("data-mantine-color-scheme", dark ? "dark" : "light");
})();
