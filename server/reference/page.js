// Shows this server's document with Swagger UI, and sends its requests with the shop and the tokens
// of the bar on top. They are remembered for as long as the tab is open.
"use strict";

(() => {
  const storage = "storefront.reference";
  const inputs = document.getElementById("access").elements; // named like the document's security schemes
  const schemes = ["tenant", "bearer", "orderToken"];
  const news = document.getElementById("news");
  let ui;

  // authorize tells Swagger UI what the bar says.
  const authorize = (scheme) => {
    const value = inputs[scheme].value.trim();
    if (value) ui.preauthorizeApiKey(scheme, value);
    else ui.authActions.logout([scheme]);
  };

  const remember = () => {
    sessionStorage.setItem(storage, JSON.stringify(Object.fromEntries(schemes.map((scheme) => [scheme, inputs[scheme].value]))));
  };

  const take = (scheme, value) => {
    inputs[scheme].value = value;
    authorize(scheme);
    remember();
  };

  // learn keeps what an answer gives for the next requests: tokens, and the order to look at.
  const learn = (response) => {
    const body = response.ok && response.body;
    if (body && body.accessToken) {
      take("bearer", body.accessToken);
      news.value = "The access token is taken from the answer.";
    }
    if (body && body.orderToken) {
      take("orderToken", body.orderToken);
      fillOrder(body.invoiceUid);
      news.value = `Order ${body.invoiceUid} is filled in below.`;
    }
    return response;
  };

  const fillOrder = (id) => {
    for (const [path, item] of Object.entries(ui.specSelectors.specJson().toJS().paths)) {
      if (!path.includes("{orderId}")) continue;
      for (const method of Object.keys(item)) ui.specActions.changeParam([path, method], "orderId", "path", id);
    }
  };

  // Swagger UI scrolls by itself to the operation that an address names, to where the bar on top hides
  // it. The browser's own way knows of the style sheet's margins. (noZensmooth says the same of a link.)
  const scrollAsStyled = () => ({
    statePlugins: { layout: { wrapActions: { scrollToElement: () => (around) => around.firstElementChild.scrollIntoView() } } },
  });

  // nameParts gives parts of the page the names that links point to: the list of operations, and the rows
  // of the table of failures, where the "type" of a problem leads.
  const nameParts = () => {
    document.querySelector(".filter-container").id = "operations";
    for (const code of document.querySelectorAll(".info td:first-child code")) {
      code.closest("tr").id = `error-${code.textContent}`;
    }
  };

  const showError = (hash) => {
    const row = hash && document.getElementById(hash.slice(1));
    if (!row) return;
    history.replaceState(null, "", hash);
    row.classList.add("target");
    row.scrollIntoView({ block: "center" });
  };

  // whenShown waits for what Swagger UI draws in its own time.
  const whenShown = (selector, then) => {
    const look = () => {
      if (!document.querySelector(selector)) return;
      observer.disconnect();
      then();
    };
    const observer = new MutationObserver(look);
    observer.observe(document.body, { childList: true, subtree: true });
    look();
  };

  const remembered = JSON.parse(sessionStorage.getItem(storage) || "{}");
  for (const scheme of schemes) {
    if (remembered[scheme]) inputs[scheme].value = remembered[scheme];
    inputs[scheme].addEventListener("change", () => {
      authorize(scheme);
      remember();
    });
  }
  inputs.tenant.form.addEventListener("submit", (event) => event.preventDefault());

  // Swagger UI takes any name after # for one of its own.
  const wanted = location.hash.startsWith("#error-") ? location.hash : "";
  if (wanted) history.replaceState(null, "", location.pathname + location.search);

  const show = (spec) => {
    spec.servers = [{ url: "/" }]; // the page may ask its own server only, however others know it
    ui = SwaggerUIBundle({
      spec,
      dom_id: "#reference",
      deepLinking: true,
      docExpansion: "list",
      defaultModelsExpandDepth: 0,
      displayRequestDuration: true,
      filter: true,
      tryItOutEnabled: true,
      plugins: [scrollAsStyled],
      validatorUrl: null, // it is somebody else's server
      responseInterceptor: learn,
      onComplete: () => {
        schemes.forEach(authorize);
        whenShown(".info table", () => {
          nameParts();
          showError(wanted);
        });
      },
    });
  };
  fetch("/openapi.json")
    .then((response) => response.json())
    .then(show, () => {
      document.getElementById("reference").textContent = "The document could not be loaded. Reload the page to try again.";
    });
})();
