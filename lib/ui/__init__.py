"""The only rooms that import streamlit."""
