from tests.browser.conftest import browser, nothing_in_flight_when_the_database_is_flushed, page, sign_in

__all__ = ["browser", "nothing_in_flight_when_the_database_is_flushed", "page", "sign_in"]
