"""Parts that all pages share: styles, elements, and the writer of a page that works offline."""

from .offline import BASE_STYLE, ELEMENTS, REPORT_STYLE, Parts, pack, write_page, write_static_page
