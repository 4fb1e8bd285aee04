/** Loads every entry point by its public name; the page's title becomes what the names are. */
import { startSimulation } from 'escapement';
import { openView } from 'escapement/render';
import { defineSimulation } from 'escapement/sim';

document.title = [startSimulation, defineSimulation, openView].map((it) => typeof it).join(' ');
