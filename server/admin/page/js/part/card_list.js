// A list of cards that tabs divide by status, with a search: the frame of a view.

import { html } from '../html.js'
import { to, withQuery } from '../router.js'
import { Pages } from './pages.js'
import { SearchField } from './product_filters.js'
import { skeletonRows, Empty, Failed, Skeleton } from './states.js'

/**
 * t has the words: title, search and lists, for each list its name, none_ and text_, and noneFound,
 * noneFoundText and clear. loaded is the result of useGet; figures, mark, tools and action are
 * optional parts.
 * @param {{ view: string, t: any, lists: string[], status: string, loaded: any, isFiltered:
 *   boolean, icon: string, cards: (nodes: any[]) => any, figures?: any, tools?: any, action?: any,
 *   mark?: (list: string) => any }} props
 */
export const CardList = ({
  view,
  t,
  lists,
  status,
  loaded: { data, problem, reload },
  isFiltered,
  icon,
  cards,
  figures,
  tools,
  action,
  mark,
}) => html`
  <div class="head first padded">
    <h1 tabindex="-1">${t('title')}</h1>
  </div>
  ${figures}
  <${SearchField} hint=${t('search')} />
  <nav class="views" aria-label=${t('lists')}>
    ${lists.map((list) => html`
      <a
        href=${to(view, '', { status: list })}
        aria-current=${list === status ? 'page' : undefined}
      >
        ${t.dynamic(list)}
        ${mark?.(list)}
      </a>
    `)}
  </nav>
  ${tools}
  ${problem && !data
    ? html`<${Failed} problem=${problem} retry=${reload} />`
    : !data
      ? html`<${Skeleton}>${skeletonRows(3)}<//>`
      : data.nodes.length > 0
        ? html`
            ${cards(data.nodes)}
            <${Pages} meta=${data.meta} label=${t.dynamic(status)} />
          `
        : isFiltered
          ? html`
              <${Empty} icon="search" title=${t('noneFound')} text=${t('noneFoundText')}>
                <a class="button" href=${withQuery({ method: null, search: null, page: null })}>
                  ${t('clear')}
                </a>
              <//>
            `
          : html`
              <${Empty}
                icon=${icon}
                title=${t.dynamic('none_' + status)}
                text=${t.dynamic('text_' + status)}
              >
                ${action}
              <//>
            `}
`
